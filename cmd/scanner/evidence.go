package main

import (
	"context"
	"fmt"
	"image"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Evidence is a clean picture of the table at the moment at which something was
// found: what a judge looks at who has to decide about it later.
const (
	evidenceWidth   = 1600 // pixels at most: names of cards can be read, and a match stays small
	evidenceQuality = 80   // of the JPEG
)

// keepEvidence keeps a picture with those of the events, just written, that a
// judge may have to decide about.
func (l *live) keepEvidence(ctx context.Context, picture gocv.Mat, stored []board.Event) {
	var jpeg []byte
	for _, e := range stored {
		switch e.Kind {
		case board.EventFindingOpened, board.EventPromptOpened, board.EventOutOfStep:
		default:
			continue
		}
		if jpeg == nil {
			var err error
			if jpeg, err = encodeEvidence(picture); err != nil {
				l.log.Warn("no picture can be kept", "event", e.Seq, "error", err)
				return
			}
		}
		if err := l.match.AddEvidence(context.WithoutCancel(ctx), e.Seq, jpeg); err != nil {
			l.log.Warn("no picture could be kept", "event", e.Seq, "error", err)
		}
	}
}

func encodeEvidence(picture gocv.Mat) ([]byte, error) {
	if picture.Empty() {
		return nil, fmt.Errorf("the picture is empty")
	}
	if picture.Cols() > evidenceWidth {
		smaller := gocv.NewMat()
		defer smaller.Close()
		size := image.Pt(evidenceWidth, picture.Rows()*evidenceWidth/picture.Cols())
		if err := gocv.Resize(picture, &smaller, size, 0, 0, gocv.InterpolationArea); err != nil {
			return nil, err
		}
		picture = smaller
	}
	buffer, err := gocv.IMEncodeWithParams(gocv.JPEGFileExt, picture, []int{gocv.IMWriteJpegQuality, evidenceQuality})
	if err != nil {
		return nil, err
	}
	defer buffer.Close()
	return append([]byte(nil), buffer.GetBytes()...), nil
}
