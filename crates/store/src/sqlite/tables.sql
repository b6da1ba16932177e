-- Small columns stand before large ones, so that what asks for the small ones never reads the pages of the large.
-- Times are milliseconds since 1970.

CREATE TABLE conversations (
    number            INTEGER PRIMARY KEY,
    id                TEXT    NOT NULL,
    revision          INTEGER NOT NULL,
    stamp             INTEGER NOT NULL,
    bytes             INTEGER NOT NULL,
    fingerprint       TEXT    NOT NULL,
    cwd               TEXT    NOT NULL,
    model             TEXT,
    preset            TEXT    NOT NULL,
    template          TEXT,
    template_chosen   TEXT,
    template_version  INTEGER,
    reason            TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    constructed_at    INTEGER NOT NULL,
    -- The last turn or request, to the hour: what is old is what nobody uses.
    used_at           INTEGER NOT NULL,
    text              TEXT    NOT NULL,
    record            TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX conversations_by_id ON conversations (id);
CREATE INDEX conversations_by_time ON conversations (created_at DESC, id);
CREATE INDEX conversations_by_use ON conversations (used_at, id);
CREATE INDEX conversations_by_template ON conversations (template, created_at DESC, id)
    WHERE template IS NOT NULL;

CREATE TABLE past_prompts (
    conversation      INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
    id                TEXT    NOT NULL,
    revision          INTEGER NOT NULL,
    stamp             INTEGER NOT NULL,
    bytes             INTEGER NOT NULL,
    fingerprint       TEXT    NOT NULL,
    cwd               TEXT    NOT NULL,
    model             TEXT,
    preset            TEXT    NOT NULL,
    template          TEXT,
    template_chosen   TEXT,
    template_version  INTEGER,
    reason            TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    constructed_at    INTEGER NOT NULL,
    replaced_at       INTEGER NOT NULL,
    text              TEXT    NOT NULL,
    record            TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX past_prompts_by_revision ON past_prompts (conversation, revision);

CREATE TABLE templates (
    name              TEXT    NOT NULL PRIMARY KEY,
    current           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE template_versions (
    name              TEXT    NOT NULL REFERENCES templates (name),
    version           INTEGER NOT NULL,
    bytes             INTEGER NOT NULL,
    at                INTEGER NOT NULL,
    author            TEXT    NOT NULL,
    note              TEXT    NOT NULL,
    reset             INTEGER NOT NULL,
    variables         TEXT    NOT NULL,
    text              TEXT
) STRICT;

CREATE UNIQUE INDEX template_versions_by_number ON template_versions (name, version);

CREATE TABLE labels (
    name              TEXT    NOT NULL,
    label             TEXT    NOT NULL,
    version           INTEGER NOT NULL,
    PRIMARY KEY (name, label),
    FOREIGN KEY (name, version) REFERENCES template_versions (name, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX labels_by_version ON labels (name, version);

CREATE TABLE audit (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    at                INTEGER NOT NULL,
    actor             TEXT    NOT NULL,
    action            TEXT    NOT NULL,
    subject           TEXT    NOT NULL,
    detail            TEXT    NOT NULL
) STRICT;

CREATE TABLE accesses (
    name              TEXT    NOT NULL PRIMARY KEY,
    role              TEXT    NOT NULL,
    digest            TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    -- The time from which on the token is refused; null: it does not expire.
    expires_at        INTEGER
) STRICT, WITHOUT ROWID;

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

-- A number that tells this store from others.
CREATE TABLE identity (value INTEGER NOT NULL) STRICT;
INSERT INTO identity (value) VALUES (random());
