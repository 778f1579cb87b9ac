package camera_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/hardware/camera"
)

// transportStream is a video of n frames as an MPEG transport stream.
func transportStream(t *testing.T, n int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.ts")
	w, err := gocv.VideoWriterFileWithAPI(path, gocv.VideoCaptureFFmpeg, "MPG2", 25, 320, 240, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		m := grey(320, 240, uint8(40+3*i))
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// serveRTSP is an RTSP camera (RFC 2326) that sends a transport stream in RTP
// packets (payload type 33, RFC 3551) interleaved with its answers. After the
// stream it is silent, or hangs up. It returns its address and how many
// connections it had.
func serveRTSP(t *testing.T, stream []byte, hangUp bool) (address string, connections func() int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	played := 0
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			serving.Go(func() {
				defer conn.Close()
				answerRTSP(conn, stream, hangUp, func() {
					mu.Lock()
					played++
					mu.Unlock()
				})
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return "rtsp://" + listener.Addr().String() + "/1", func() int {
		mu.Lock()
		defer mu.Unlock()
		return played
	}
}

func answerRTSP(conn net.Conn, stream []byte, hangUp bool, playing func()) {
	r := textproto.NewReader(bufio.NewReader(conn))
	for {
		request, err := r.ReadLine()
		if err != nil {
			return
		}
		header, err := r.ReadMIMEHeader()
		if err != nil {
			return
		}
		extra, body := "", ""
		method, _, _ := strings.Cut(request, " ")
		switch method {
		case "OPTIONS":
			extra = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
		case "DESCRIBE":
			body = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=table\r\nt=0 0\r\nm=video 0 RTP/AVP 33\r\na=control:streamid=0\r\n"
			extra = "Content-Type: application/sdp\r\n"
		case "SETUP":
			if !strings.Contains(header.Get("Transport"), "TCP") {
				fmt.Fprintf(conn, "RTSP/1.0 461 Unsupported Transport\r\nCSeq: %s\r\n\r\n", header.Get("CSeq"))
				continue
			}
			extra = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n"
		case "PLAY":
			extra = "Session: 1\r\nRange: npt=0.000-\r\n"
		}
		fmt.Fprintf(conn, "RTSP/1.0 200 OK\r\nCSeq: %s\r\n%sContent-Length: %d\r\n\r\n%s", header.Get("CSeq"), extra, len(body), body)
		if method == "PLAY" {
			playing()
			sendRTP(conn, stream)
			if hangUp {
				return
			}
		}
	}
}

func sendRTP(conn net.Conn, stream []byte) {
	const payload = 7 * 188
	for seq := 0; len(stream) > 0; seq++ {
		n := min(payload, len(stream))
		packet := []byte{'$', 0, 0, 0, 0x80, 33}
		binary.BigEndian.PutUint16(packet[2:], uint16(12+n))
		packet = binary.BigEndian.AppendUint16(packet, uint16(seq))
		packet = binary.BigEndian.AppendUint32(packet, uint32(seq*900))
		packet = binary.BigEndian.AppendUint32(packet, 7)
		if _, err := conn.Write(append(packet, stream[:n]...)); err != nil {
			return
		}
		stream = stream[n:]
	}
}

func TestRTSPReconnects(t *testing.T) {
	address, connections := serveRTSP(t, transportStream(t, 30), true)
	s := open(t, address+"#rotation=90", eager())
	if f := next(t, s); f.Image.Cols() != 240 || f.Image.Rows() != 320 {
		t.Errorf("%d×%d", f.Image.Cols(), f.Image.Rows())
	}
	eventually(t, "it is back", func() bool { return s.Stats().Reconnects >= 1 })
	next(t, s)
	if connections() < 2 || !strings.Contains(s.Stats().LastError, "the camera ended the stream") {
		t.Errorf("%d connections, %+v", connections(), s.Stats())
	}
}

// A camera that stays connected and sends nothing is noticed, and can be
// closed though a read is under way.
func TestRTSPStall(t *testing.T) {
	address, _ := serveRTSP(t, transportStream(t, 30), false)
	opt := eager()
	opt.StallAfter = time.Second
	s, err := camera.DefaultOpeners().Open(t.Context(), address, opt)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the stall is noticed", func() bool { return strings.Contains(s.Stats().LastError, "fallen silent") })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
