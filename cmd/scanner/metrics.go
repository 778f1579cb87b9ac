package main

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"tabletop/board"
	"tabletop/hardware/camera"
)

// liveMetrics are the figures of the way from camera to event.
type liveMetrics struct {
	frameSeconds prometheus.Histogram
	cards        prometheus.Gauge
	events       *prometheus.CounterVec
}

func newLiveMetrics(registry prometheus.Registerer, source camera.Source) (*liveMetrics, error) {
	m := &liveMetrics{
		frameSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "tabletop_frame_seconds", Help: "Time from a frame to its events.",
			Buckets: []float64{.001, .003, .01, .025, .05, .1, .2, .4, .8},
		}),
		cards:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "tabletop_cards", Help: "Cards seen in the last frame."}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tabletop_events_total", Help: "Events written to the journal."}, []string{"kind"}),
	}
	stat := func(name, help string, value func(camera.Stats) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(source.Stats()) })
	}
	var errs []error
	for _, c := range []prometheus.Collector{
		m.frameSeconds, m.cards, m.events,
		stat("tabletop_camera_connected", "1 while pictures are coming.", func(s camera.Stats) float64 {
			if s.Connected {
				return 1
			}
			return 0
		}),
		stat("tabletop_camera_frames", "Pictures that arrived.", func(s camera.Stats) float64 { return float64(s.Received) }),
		stat("tabletop_camera_dropped", "Pictures that a newer one replaced unseen.", func(s camera.Stats) float64 { return float64(s.Dropped) }),
		stat("tabletop_camera_broken", "Pictures that could not be decoded.", func(s camera.Stats) float64 { return float64(s.Broken) }),
		stat("tabletop_camera_reconnects", "Connections after the first.", func(s camera.Stats) float64 { return float64(s.Reconnects) }),
	} {
		errs = append(errs, registry.Register(c))
	}
	return m, errors.Join(errs...)
}

func (m *liveMetrics) frame(l look) {
	m.frameSeconds.Observe(l.took.Seconds())
	m.cards.Set(float64(len(l.view.Cards)))
}

func (m *liveMetrics) event(e board.Event) { m.events.WithLabelValues(string(e.Kind)).Inc() }
