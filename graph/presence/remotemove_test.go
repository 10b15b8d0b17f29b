package presence

import (
	"testing"

	"portico/model"
)

// Behind a balancer, the first move of a visitor may overtake the message that the visitor has
// joined.
func TestMove_of_a_visitor_who_has_just_joined_another_process_is_sent(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 2)
	join(t, all[1], "ip:1")
	moved := model.MoveInSpace{
		SpaceID: "space", VisitorID: "joined elsewhere", Ticket: all[0].ticket("space", "joined elsewhere"),
		Pose: model.Pose{Position: []float64{8, 0, 0}},
	}
	if err := all[1].Move(moved); err != nil {
		t.Errorf("move: got %v, want it sent to the other process", err)
	}
}
