// Package tablesim is a simulated camera over a simulated card table, with
// ground truth: what the demo plays on, what tests and benchmarks measure
// against and what the evaluation counts.
//
// A [Scene] says in millimetres what lies on the table and which hands reach
// over it. A [Renderer] photographs it through a [Camera] (perspective, radial
// lens distortion) under the conditions of a named [Level] (table, light,
// focus, noise, glare), and [Renderer.Truth] says where every card is in that
// picture, to a tenth of a pixel, and how much of it can be seen. Everything
// follows from seeds: the same seed gives the same bytes.
//
// The package knows no game and judges nothing: acts and games are told in
// package script on top of it. It is pure Go and never touches a network, a
// camera or the clock other than through what it is handed.
package tablesim
