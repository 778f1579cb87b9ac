-- +goose Up
-- A clean camera picture of the moment of an event, for whoever decides later.
CREATE TABLE evidence (
    match TEXT    NOT NULL,
    seq   INTEGER NOT NULL,
    jpeg  BLOB    NOT NULL,
    PRIMARY KEY (match, seq),
    FOREIGN KEY (match, seq) REFERENCES events (match, seq)
) STRICT;

-- +goose Down
DROP TABLE evidence;
