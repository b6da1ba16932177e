-- Drafts belong to a token, not to its name, which another token may get later.
UPDATE preface_drafts SET owner = 'token:' || preface_access.digest FROM preface_access
WHERE owner LIKE 'token:%' AND convert_to(substr(owner, 7), 'UTF8') = preface_access.name;
