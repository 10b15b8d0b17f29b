package export

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"portico/graph"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
	"portico/storage/disk"
)

func TestMain(m *testing.M) { postgres.Main(m) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newCore returns the options of a resolver with a database and a store, and an account.
func newCore(t *testing.T) (graph.Options, *model.User) {
	t.Helper()
	files, err := disk.Open(disk.Options{Folder: t.TempDir(), BaseURL: "https://portico.example", Secret: []byte("a secret of the tests")})
	check(t, err)
	t.Cleanup(func() { check(t, files.Close()) })
	core := graph.Options{DB: testdb.Open(t), Store: files, Logger: slog.New(slog.DiscardHandler), Settings: graph.Settings{
		WebURL: "https://portico.example", Formats: model.DefaultFormats, History: model.HistoryLimits{Versions: 10, Age: time.Hour},
	}}
	return core, testdb.User(t, core.DB, 1<<20)
}

func TestWrite_keeps_the_fields_of_notifications_events_and_versions(t *testing.T) {
	t.Parallel()
	core, user := newCore(t)
	resolver := graph.New(core)
	ctx := model.WithCaller(t.Context(), &model.Caller{UserID: user.ID})
	space, err := resolver.Mutation().CreateSpace(ctx, model.CreateSpace{})
	check(t, err)
	title := "Hall"
	_, err = resolver.Mutation().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &title}})
	check(t, err)
	_, err = resolver.Mutation().ApplyChanges(ctx, model.ChangeSet{SpaceID: space.ID, Puts: []model.FilePut{
		{Path: model.EntityPath("lamp"), Content: []byte(`{"id":"lamp","type":"Lamp","data":{}}`)},
	}})
	check(t, err)
	check(t, core.DB.ShareLinks().AddShareLink(t.Context(), &model.ShareLink{
		ID: model.Token(), SpaceID: space.ID, Name: "Client", SecretHash: []byte("the hash"), PasswordHash: "the password", Version: 1,
	}))
	check(t, core.DB.Moderation().TakeDown(t.Context(), model.ReportSpace{SpaceID: space.ID, Reason: model.ReportCopyright, Text: "A claim"}))

	var out bytes.Buffer
	check(t, Write(t.Context(), Options{
		DB: core.DB, Store: core.Store, Resolver: resolver, ServerURL: "https://portico.example", User: user,
	}, &out))
	var manifest model.AccountManifest
	readJSON(t, out.Bytes(), model.ExportManifest, &manifest)
	if manifest.Server != "https://portico.example" {
		t.Errorf("server of the manifest: got %q, want https://portico.example", manifest.Server)
	}
	var notifications []model.ExportedNotification
	readJSON(t, out.Bytes(), model.ExportNotificationsFile, &notifications)
	if len(notifications) != 1 || notifications[0].Text != "A claim" {
		t.Errorf("notifications: got %+v, want one with the reason of the takedown", notifications)
	}
	var events []model.ExportedEvent
	readJSON(t, out.Bytes(), model.ExportSecurityFile, &events)
	takedown := slices.IndexFunc(events, func(e model.ExportedEvent) bool { return e.Type == model.EventSpaceTakenDown })
	if takedown < 0 || events[takedown].Title != "Hall" || events[takedown].TakedownReason != model.ReportCopyright || events[takedown].Detail != "Hall: copyright" {
		t.Errorf("security events: got %+v, want one with the title of the space and the reason of the takedown", events)
	}
	var versions []model.ExportedVersion
	readJSON(t, out.Bytes(), model.ExportSpacesFolder+space.ID+"/history.json", &versions)
	var spaces []model.ExportedSpace
	readJSON(t, out.Bytes(), model.ExportSpacesFile, &spaces)
	if len(spaces) != 1 || len(spaces[0].Links) != 1 || spaces[0].Links[0].Name != "Client" || !spaces[0].Links[0].HasPassword {
		t.Errorf("share links: got %+v, want one with a password", spaces)
	}
	if bytes.Contains(out.Bytes(), []byte("the hash")) {
		t.Error("the export has the hash of a secret")
	}
	changeSets := 0
	for _, version := range versions {
		if version.IsChangeSet {
			changeSets++
		}
	}
	if changeSets != 1 || len(versions) != 2 {
		t.Errorf("versions: got %+v, want a change set and another one", versions)
	}
}

// readJSON decodes a file of an archive.
func readJSON(t *testing.T, archive []byte, name string, value any) {
	t.Helper()
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	check(t, err)
	file, err := files.Open(name)
	check(t, err)
	check(t, json.NewDecoder(file).Decode(value))
	check(t, file.Close())
}
