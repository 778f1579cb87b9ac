// Package journal keeps every event of every match in one SQLite file, so that
// a match can be audited, exported, played back and gone on with after a crash.
//
// The order is: write, then publish. [Match.Append] numbers events and returns
// them only when they are committed; whoever streams them streams what it
// returned. So nothing that a client was sent can be missing here.
//
// How sure "committed" is: the file is in WAL mode with synchronous=FULL, that
// is, every commit waits until the write-ahead log is on the disk. Against
// kill -9 synchronous=NORMAL would do, as the operating system holds what the
// process wrote. But NORMAL may lose the last commits when the power goes
// (https://www.sqlite.org/pragma.html#pragma_synchronous), and pulling the plug
// is how a Raspberry Pi at a table is switched off. A table makes a few
// events a second at most; one fsync each is affordable.
//
// The package judges nothing and hides nothing: it stores what it is given,
// secret identities too. Who may see what is the business of package web. It
// never repairs a damaged file, never drops an event because it could not be
// written, and has no state outside the values it returns.
package journal
