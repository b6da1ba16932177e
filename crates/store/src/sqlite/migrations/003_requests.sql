-- The requests of a conversation: digests of their blocks, without text.
CREATE TABLE requests (
    conversation      INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
    number            INTEGER NOT NULL,
    revision          INTEGER NOT NULL,
    stamp             INTEGER NOT NULL,
    at                INTEGER NOT NULL,
    record            TEXT    NOT NULL,
    PRIMARY KEY (conversation, number)
) STRICT, WITHOUT ROWID;
