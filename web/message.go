package web

import "tabletop/board"

// Subprotocol is the websocket subprotocol: the contract's name and version.
const Subprotocol = "tabletop.v1.json"

// protocolVersion is the number in hello.
const protocolVersion = 1

// Close codes of our own (RFC 6455 leaves 4000 to 4999 to applications).
const (
	CloseMalformed  = 4400 // messages that could not be understood, repeatedly
	CloseSlowClient = 4008 // a log client that reads more slowly than events come
)

// Views of the stream. They carry the same messages; they differ in what a
// client that is too slow gets: the board view skips to a fresh snapshot, the
// log view may not skip anything and is closed.
const (
	ViewBoard = "board"
	ViewLog   = "log"
)

// Codes of an Error.
const (
	CodeMalformed   = "malformed"    // not a JSON object of the contract
	CodeUnknownType = "unknown-type" // a message type that is not in the contract
	CodeUnknownView = "unknown-view" // neither board nor log
)

// Hello opens a connection. It is sent again when the client's role changes and
// when another match begins; what was subscribed before is void then, except
// that a new match is followed by its snapshot for who was subscribed.
type Hello struct {
	Type     string `json:"type"` // "hello"
	Protocol int    `json:"protocol"`
	Epoch    string `json:"epoch"` // names the numbering: numbers of another epoch mean nothing
	Role     Role   `json:"role"`
	DelayMS  int64  `json:"delay_ms"` // by how much this role's stream lags behind the table
	Table    string `json:"table"`
	Game     string `json:"game"`
	Head     uint64 `json:"head"` // number of the last event of this role's view
	// Problem is what keeps the program from seeing or keeping what happens, now,
	// in words for people. While there is one the board may be old.
	Problem string `json:"problem,omitempty"`
}

// Subscribe asks for a view from a place on. Without Since, or when the server
// no longer has what follows it, the answer begins with a snapshot.
type Subscribe struct {
	Type  string    `json:"type"` // "subscribe"
	View  string    `json:"view"`
	Since *Position `json:"since,omitempty"`
	Token string    `json:"token,omitempty"` // as in Auth, for clients that send one message only
}

// Position is the last event a client has.
type Position struct {
	Epoch string `json:"epoch"`
	Seq   uint64 `json:"seq"`
}

// Auth gives the token of a role. The answer is a hello with the role that it
// is worth: viewer, when nobody knows the token.
type Auth struct {
	Type  string `json:"type"` // "auth"
	Token string `json:"token"`
}

// Snapshot is the whole board after event Seq.
type Snapshot struct {
	Type  string      `json:"type"` // "snapshot"
	Seq   uint64      `json:"seq"`
	Board board.Board `json:"board"`
}

// Heartbeat comes every 10 s, and at once when Problem changes. A client that
// has less than Head subscribes again with what it has.
type Heartbeat struct {
	Type    string `json:"type"` // "heartbeat"
	Head    uint64 `json:"head"`
	Problem string `json:"problem,omitempty"` // as in Hello; none: all is well
}

// Error says what was wrong with a client's message. The second one on a
// connection is followed by a close with CloseMalformed.
type Error struct {
	Type    string `json:"type"` // "error"
	Code    string `json:"code"`
	Message string `json:"message"`
}
