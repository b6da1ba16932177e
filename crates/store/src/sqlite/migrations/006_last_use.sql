-- The last turn or request of a conversation, to the hour: what is old is what nobody uses. Lists go by the beginning, which stays.
ALTER TABLE conversations ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET used_at = max(constructed_at, coalesce(
    (SELECT max(at) FROM requests WHERE conversation = conversations.number), 0));
CREATE INDEX conversations_by_use ON conversations (used_at, id);
DROP INDEX conversations_by_time;
CREATE INDEX conversations_by_time ON conversations (created_at DESC, id);
DROP INDEX conversations_by_template;
CREATE INDEX conversations_by_template ON conversations (template, created_at DESC, id)
    WHERE template IS NOT NULL;
