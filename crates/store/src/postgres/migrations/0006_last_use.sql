-- The last turn or request of a conversation, to the hour: what is old is what nobody uses. Lists go by the beginning, which stays.
ALTER TABLE preface_conversations ADD COLUMN used_at bigint NOT NULL DEFAULT 0;
UPDATE preface_conversations c SET used_at = greatest(constructed_at, coalesce(
    (SELECT max(at) FROM preface_requests r WHERE r.id = c.id), 0));
CREATE INDEX preface_conversations_used ON preface_conversations (used_at, id);
DROP INDEX preface_conversations_constructed;
CREATE INDEX preface_conversations_created ON preface_conversations (created_at DESC, id);
DROP INDEX preface_conversations_template;
CREATE INDEX preface_conversations_template ON preface_conversations (template_name, created_at DESC, id);
