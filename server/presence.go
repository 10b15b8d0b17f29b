package server

import (
	"fmt"

	"portico/graph/presence"
)

// openRooms creates the rooms in which the visitors of a space see each other.
func (p *Program) openRooms() (*presence.Rooms, error) {
	rooms, err := presence.New(presence.Options{Secret: p.secret, RedisURL: p.Config.RedisURL, Logger: p.Logger})
	if err != nil {
		return nil, fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	p.onClose("rooms of visitors", rooms.Close)
	p.metrics.registerVisitors(rooms)
	return rooms, nil
}
