package graph

import "portico/model"

// batch has the objects of a page whose fields are read with one query for all of them.
type batch struct {
	users    []*model.Profile
	spaces   []*model.Space
	entities []*model.Entity
	files    []*model.File
	jobs     []*model.Job
}

// hasRows reports whether batch.add finds objects in values of this type. Most fields return
// something else, and cost one type switch.
func hasRows(value any) bool {
	switch value.(type) {
	case *model.Profile, *model.Space, *model.Entity, *model.File, *model.Job, []model.Node,
		*model.SpaceConnection, *model.EntityConnection, *model.FileConnection, *model.JobConnection,
		*model.NotificationConnection:
		return true
	}
	return false
}

// add adds the objects in the value of a field. hasRows must be true for the value.
func (b *batch) add(value any) {
	switch value := value.(type) {
	case *model.Profile:
		b.users = append(b.users, value)
	case *model.Space:
		b.spaces = append(b.spaces, value)
	case *model.Entity:
		b.entities = append(b.entities, value)
	case *model.File:
		b.files = append(b.files, value)
	case *model.Job:
		b.jobs = append(b.jobs, value)
	case []model.Node:
		for _, node := range value {
			b.add(node)
		}
	default:
		b.addPage(value)
	}
}

// addPage adds the rows of a connection.
func (b *batch) addPage(value any) {
	switch page := value.(type) {
	case *model.SpaceConnection:
		if page != nil {
			b.spaces = append(b.spaces, page.Nodes...)
		}
	case *model.EntityConnection:
		if page != nil {
			b.entities = append(b.entities, page.Nodes...)
		}
	case *model.FileConnection:
		if page != nil {
			b.files = append(b.files, page.Nodes...)
		}
	case *model.JobConnection:
		if page != nil {
			b.jobs = append(b.jobs, page.Nodes...)
		}
	case *model.NotificationConnection:
		if page != nil {
			for _, notification := range page.Nodes {
				b.spaces = append(b.spaces, notification.Space)
			}
		}
	}
}
