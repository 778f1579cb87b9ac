-- +goose Up
CREATE TABLE matches (
    id         TEXT    NOT NULL PRIMARY KEY,
    epoch      TEXT    NOT NULL UNIQUE,
    game       TEXT    NOT NULL,
    table_name TEXT    NOT NULL,
    layout     TEXT    NOT NULL, -- board.Layout as JSON
    started_ms INTEGER NOT NULL, -- Unix time in milliseconds
    ended_ms   INTEGER           -- NULL while it goes on
) STRICT, WITHOUT ROWID;

-- json is the whole event in the form of the websocket contract; the other
-- columns repeat what one wants to search by.
CREATE TABLE events (
    match TEXT    NOT NULL REFERENCES matches (id),
    seq   INTEGER NOT NULL CHECK (seq > 0),
    at_ms INTEGER NOT NULL,
    kind  TEXT    NOT NULL,
    copy  TEXT    NOT NULL,
    json  TEXT    NOT NULL,
    PRIMARY KEY (match, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_copy ON events (match, copy, seq);

-- +goose Down
DROP TABLE events;
DROP TABLE matches;
