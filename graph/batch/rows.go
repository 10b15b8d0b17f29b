package batch

import "portico/model"

// pageRows has the objects of a page whose fields are read with one query for all of them.
type pageRows struct {
	users    []*model.Profile
	spaces   []*model.Space
	entities []*model.Entity
	files    []*model.File
	jobs     []*model.Job
}

// hasRows reports whether pageRows.add finds objects in values of this type. Most fields return
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
func (p *pageRows) add(value any) {
	switch value := value.(type) {
	case *model.Profile:
		p.users = append(p.users, value)
	case *model.Space:
		p.spaces = append(p.spaces, value)
	case *model.Entity:
		p.entities = append(p.entities, value)
	case *model.File:
		p.files = append(p.files, value)
	case *model.Job:
		p.jobs = append(p.jobs, value)
	case []model.Node:
		for _, node := range value {
			p.add(node)
		}
	default:
		p.addPage(value)
	}
}

// addPage adds the rows of a connection.
func (p *pageRows) addPage(value any) {
	switch page := value.(type) {
	case *model.SpaceConnection:
		if page != nil {
			p.spaces = append(p.spaces, page.Nodes...)
		}
	case *model.EntityConnection:
		if page != nil {
			p.entities = append(p.entities, page.Nodes...)
		}
	case *model.FileConnection:
		if page != nil {
			p.files = append(p.files, page.Nodes...)
		}
	case *model.JobConnection:
		if page != nil {
			p.jobs = append(p.jobs, page.Nodes...)
		}
	case *model.NotificationConnection:
		if page != nil {
			for _, notification := range page.Nodes {
				p.spaces = append(p.spaces, notification.Space)
			}
		}
	}
}
