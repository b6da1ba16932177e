-- The requests of a conversation: digests of their blocks, without text.
CREATE TABLE preface_requests (
    id text COLLATE "C" NOT NULL REFERENCES preface_conversations (id) ON DELETE CASCADE,
    number bigint NOT NULL,
    revision bigint NOT NULL,
    stamp bigint NOT NULL,
    at bigint NOT NULL,
    record bytea NOT NULL,
    PRIMARY KEY (id, number)
);
