// Package web shows the board to people: a websocket stream by role, and the
// pages drawn from it (a live board, a stream overlay, a judge's page, a debug
// view), with /metrics and /healthz beside them. Judges also act, over HTTP; what
// they ask for a [Judge] does, and what comes of it is published like the rest.
//
// The [Hub] owns the state. One goroutine holds it, others ask it over a
// channel, and it never waits for a client: each connection has a writer of its
// own behind a queue that is bounded in bytes. For every role it keeps one
// stream: the true events pass the role's delay, then its filter, and only what
// is left is numbered. So a viewer can tell neither from a number nor from a
// gap that something was kept from it.
//
// The package decides nothing about the game. It refuses to send what a role
// may not see rather than to guess: a kind of event it does not know reaches
// judges and operators only. It takes tokens in a message or a cookie, never in
// a URL, and loads nothing from other hosts: a tournament hall often has no
// network.
//
// The messages are described in docs/asyncapi.yaml, the judges' requests in
// docs/judging.md. What the pages say stands in static/text.*.js, a file for each
// language; a game's own words come from its pack.
package web
