package live

import (
	"context"
	"strconv"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// ViewerSpaces subscribes to the caller's spaces. It ends with ctx only.
//
// All subscriptions of one account share one source, by its topic.
func (s *Service) ViewerSpaces(ctx context.Context) (<-chan model.ViewerSpaceEvent, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return subscribeToRows(ctx, &s.engine, &s.spaceLists, s.spacesOf(c.UserID), rowEvents[model.Space, model.ViewerSpaceEvent]{
		snapshot: func() model.ViewerSpaceEvent { return &model.SpacesSnapshot{} },
		created:  func(space *model.Space) model.ViewerSpaceEvent { return &model.SpaceCreated{Space: space} },
		changed:  func(space *model.Space) model.ViewerSpaceEvent { return &model.SpaceChanged{Space: space} },
		deleted:  func(id string) model.ViewerSpaceEvent { return &model.SpaceDeleted{SpaceID: id} },
	}), nil
}

// ViewerFiles subscribes to the caller's files. It ends with ctx only.
func (s *Service) ViewerFiles(ctx context.Context) (<-chan model.ViewerFileEvent, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return subscribeToRows(ctx, &s.engine, &s.fileLists, s.filesOf(c.UserID), rowEvents[model.File, model.ViewerFileEvent]{
		snapshot: func() model.ViewerFileEvent { return &model.FilesSnapshot{} },
		created:  func(file *model.File) model.ViewerFileEvent { return &model.FileCreated{File: file} },
		changed:  func(file *model.File) model.ViewerFileEvent { return &model.FileChanged{File: file} },
		deleted:  func(key string) model.ViewerFileEvent { return &model.FileDeleted{ResourceKey: key} },
	}), nil
}

// spacesOf returns the source of an account's spaces.
func (s *Service) spacesOf(userID string) rowSource[model.Space] {
	return rowSource[model.Space]{
		topic: db.SpacesTopic(userID),
		versions: func(ctx context.Context) ([]db.RowVersion, error) {
			return s.db.Watched().SpaceRowVersions(ctx, userID)
		},
		states: func(ctx context.Context, ids []string) ([]rowState[model.Space], error) {
			found, err := s.db.Watched().LimitedSpaces(ctx, ids, feedBytes)
			states := make([]rowState[model.Space], len(found))
			for i, space := range found {
				states[i] = rowState[model.Space]{space.ID, strconv.Itoa(space.Version), space, space.Bytes()}
			}
			return states, err
		},
	}
}

// fileStateSize is about the number of bytes of a file with its facts.
const fileStateSize = 2 << 10

// filesOf returns the source of an account's files.
func (s *Service) filesOf(userID string) rowSource[model.File] {
	return rowSource[model.File]{
		topic:    db.FilesTopic(userID),
		versions: func(ctx context.Context) ([]db.RowVersion, error) { return s.db.Watched().FileRowVersions(ctx, userID) },
		states: func(ctx context.Context, keys []string) ([]rowState[model.File], error) {
			found, err := s.db.Watched().VersionedFiles(ctx, keys)
			states := make([]rowState[model.File], len(found))
			for i := range found {
				file := &found[i].File
				states[i] = rowState[model.File]{file.ResourceKey, found[i].RowVersion, file, fileStateSize}
			}
			return states, err
		},
	}
}
