-- Drafts belong to a token, not to its name, which another token may get later.
UPDATE drafts SET owner = 'token:' || (SELECT digest FROM accesses WHERE name = substr(owner, 7))
WHERE owner LIKE 'token:%' AND substr(owner, 7) IN (SELECT name FROM accesses);
