package graph

import "portico/model"

// rows are objects whose types have fields that need a query.
type rows struct {
	users    []*model.Profile
	spaces   []*model.Space
	entities []*model.Entity
	files    []*model.File
	jobs     []*model.Job
}

// hasRows reports whether rows.add finds objects in values of this type. Most fields return
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
func (r *rows) add(value any) {
	switch value := value.(type) {
	case *model.Profile:
		r.users = append(r.users, value)
	case *model.Space:
		r.spaces = append(r.spaces, value)
	case *model.Entity:
		r.entities = append(r.entities, value)
	case *model.File:
		r.files = append(r.files, value)
	case *model.Job:
		r.jobs = append(r.jobs, value)
	case []model.Node:
		for _, node := range value {
			r.add(node)
		}
	default:
		r.addPage(value)
	}
}

// addPage adds the rows of a connection.
func (r *rows) addPage(value any) {
	switch page := value.(type) {
	case *model.SpaceConnection:
		if page != nil {
			r.spaces = append(r.spaces, page.Nodes...)
		}
	case *model.EntityConnection:
		if page != nil {
			r.entities = append(r.entities, page.Nodes...)
		}
	case *model.FileConnection:
		if page != nil {
			r.files = append(r.files, page.Nodes...)
		}
	case *model.JobConnection:
		if page != nil {
			r.jobs = append(r.jobs, page.Nodes...)
		}
	case *model.NotificationConnection:
		if page != nil {
			for _, notification := range page.Nodes {
				r.spaces = append(r.spaces, notification.Space)
			}
		}
	}
}
