-- Unsaved texts of the editor.
CREATE TABLE preface_drafts (
    owner text COLLATE "C" NOT NULL,
    template text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    etag text,
    text bytea NOT NULL,
    bytes bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (owner, template, id)
);
CREATE INDEX preface_drafts_by_age ON preface_drafts (at);
-- A number that tells this store from others.
INSERT INTO preface_meta (key, value) VALUES ('identity', floor(random() * 9e18)::bigint) ON CONFLICT (key) DO NOTHING;
