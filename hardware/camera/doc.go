// Package camera reads pictures of the table from whatever takes them, named
// by one line of text:
//
//	dir:PATH[?fps=N]               pictures of a folder in name order, each once
//	file:PATH[?realtime=1]         a video, every frame, or at its own speed
//	v4l2:DEVICE[?width=…&height=…&fps=…&fourcc=…&rotation=…]
//	http://… https://…[#rotation=…]  an MJPEG stream (multipart/x-mixed-replace)
//	rtsp://…[#rotation=…]            a network camera
//	rpicam:[?width=…&height=…&fps=…&rotation=…&camera=…]  a Raspberry Pi camera
//
// A camera is a live source: whoever asks gets the newest frame, and frames
// that nobody asked for are dropped and counted. When it falls silent or is
// unplugged, the source says so (log, Stats) and reconnects with growing
// pauses; Next simply waits meanwhile. Folders and videos drop nothing unless
// asked to (realtime=1) and end with io.EOF.
//
// The package refuses to look into the picture: no detection, no calibration,
// no correction beyond quarter turns of a camera mounted sideways.
package camera
