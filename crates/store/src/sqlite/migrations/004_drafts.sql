-- Unsaved texts of the editor.
CREATE TABLE drafts (
    owner    TEXT    NOT NULL,
    template TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    version  INTEGER NOT NULL,
    etag     TEXT,
    text     TEXT    NOT NULL,
    bytes    INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (owner, template, id)
) STRICT;
CREATE INDEX drafts_by_age ON drafts (at);
-- A number that tells this store from others.
CREATE TABLE identity (value INTEGER NOT NULL) STRICT;
INSERT INTO identity (value) VALUES (random());
