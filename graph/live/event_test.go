package live

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"portico/model"
)

func TestEvent_is_encoded_once_for_each_selection_set(t *testing.T) {
	t.Parallel()
	event := newEvent(&model.SpaceDeleted{SpaceID: "s"})
	var encoded atomic.Int32
	var tasks sync.WaitGroup
	for i := range 100 {
		key := SelectionKey{byte(i % 2)}
		tasks.Go(func() {
			data := event.Data(t.Context(), key, func() []byte {
				encoded.Add(1)
				return []byte{key[0]}
			})
			if !slices.Equal(data, []byte{key[0]}) {
				t.Errorf("data: got %v, want %v", data, key[0])
			}
		})
	}
	tasks.Wait()
	if got := encoded.Load(); got != 2 {
		t.Errorf("encoded: got %d times, want 2", got)
	}
}

// An event stores a few encodings. For other selection sets, and after a failed encoding, each
// subscriber gets its own encoding.
func TestEvent_bounds_its_encodings(t *testing.T) {
	t.Parallel()
	event := newEvent(&model.SpaceDeleted{SpaceID: "s"})
	fails := func() []byte { return nil }
	for range 2 {
		if data := event.Data(t.Context(), SelectionKey{}, fails); data != nil {
			t.Errorf("data of a failed encoding: got %s, want none", data)
		}
	}
	for i := range 2 * maxEncodings {
		event.Data(t.Context(), SelectionKey{1, byte(i)}, func() []byte { return []byte("x") })
	}
	if got := len(event.encodings); got != maxEncodings {
		t.Errorf("encodings: got %d, want %d", got, maxEncodings)
	}
}
