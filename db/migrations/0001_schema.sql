-- The tables, with their indexes, functions and triggers, by subject. No name has a schema: the
-- search_path of the connection decides. The rights of the application are in migrate.go.
--
-- The order of the locks of a transaction is: rows of spaces, the parts of an account's counted
-- JSON (json_usage), the account.

-- === Accounts ===

-- An id is 8 decimal digits: it is part of public addresses, so it is drawn at random and tells
-- nothing about how many accounts there are.
CREATE TABLE users (
    id             text PRIMARY KEY CHECK (id ~ '^[0-9]{8}$'),
    email          text NOT NULL,
    name           text NOT NULL,
    password_hash  text NOT NULL DEFAULT '',
    plan           text NOT NULL CHECK (plan IN ('free', 'pro')),
    quota          bigint NOT NULL CHECK (quota >= 0),
    -- Sessions and authorization codes carry the version that they were given out in, and end with
    -- it: when the account is linked to an identity, gets another password or has its key revoked.
    access_version bigint NOT NULL DEFAULT 0,
    -- Signed addresses of exports and protected files contain it, and end with the keys of their
    -- account: it increases with every event that ends a key.
    key_version    bigint NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL DEFAULT now(),
    changed_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_email_key UNIQUE (email)
);

-- One key per account is valid at a time; revoked ones stay, so that a key that was given out once
-- never becomes another's.
CREATE TABLE api_keys (
    id         text PRIMARY KEY,
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    lookup     bytea NOT NULL UNIQUE,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE UNIQUE INDEX api_keys_valid ON api_keys (user_id) WHERE revoked_at IS NULL;

-- The pictures of accounts. The object is in the store, in the folder of the account.
CREATE TABLE account_pictures (
    user_id     text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    storage_key text NOT NULL,
    changed_at  timestamptz NOT NULL DEFAULT now()
);

-- Who an account is to an OpenID Connect provider. A provider's user has one account and an account
-- one user there: an address that the provider gave to somebody else does not open it. An empty
-- subject names nobody: all who have one would share an account.
CREATE TABLE identities (
    issuer     text NOT NULL,
    subject    text NOT NULL CHECK (subject <> ''),
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    CONSTRAINT identities_user_key UNIQUE (user_id, issuer)
);

-- Accounts whose owner has not shown that the e-mail address is theirs: anybody may have signed up
-- with it.
CREATE TABLE unproven_emails (
    user_id text PRIMARY KEY REFERENCES users ON DELETE CASCADE
);

-- The new e-mail address that an account waits for: its owner has asked for the change, and has
-- not opened the link that was mailed to the new address. An account has one at a time. The row
-- expires with the newest link to its address.
CREATE TABLE email_changes (
    user_id      text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    email        text NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
CREATE INDEX email_changes_expired ON email_changes (expires_at);

-- Links that were mailed to people, by the SHA-256 of their token. A link belongs to the address
-- that it was sent to, works once, and is replaced by the next one for the same purpose. The row
-- stays until it expires, which limits how much mail an account gets.
CREATE TABLE mailed_links (
    hash       bytea PRIMARY KEY,
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    purpose    text NOT NULL,
    email      text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    ended_at   timestamptz
);
CREATE INDEX mailed_links_by_user ON mailed_links (user_id, purpose, created_at);
CREATE INDEX mailed_links_expired ON mailed_links (expires_at);

-- The names of accounts in addresses: /@name. An account has the name without an end. One that it
-- had leads to the account, and so does nobody take it, until db.handleHold after its end; the name of
-- a deleted account is held for as long, without the account.
CREATE TABLE handles (
    handle   text PRIMARY KEY,
    user_id  text REFERENCES users ON DELETE SET NULL,
    ended_at timestamptz
);
CREATE UNIQUE INDEX handles_current ON handles (user_id) WHERE ended_at IS NULL;
CREATE INDEX handles_by_user ON handles (user_id, ended_at);
CREATE INDEX handles_ended ON handles (ended_at) WHERE ended_at IS NOT NULL;

-- === Sign-in ===

-- Browser sessions, by the hash of the cookie's token. A session that was signed out stays until it
-- would have expired, so that a request that still runs does not store it anew.
CREATE TABLE sessions (
    token          text PRIMARY KEY,
    id             text NOT NULL DEFAULT gen_random_uuid()::text,
    user_id        text REFERENCES users ON DELETE CASCADE, -- NULL before signing in
    data           bytea NOT NULL,
    access_version bigint NOT NULL DEFAULT 0, -- the one of the account that it is valid for
    first_version  bigint NOT NULL DEFAULT 0, -- the earliest one whose open streams it carries on
    user_agent     text NOT NULL DEFAULT '',
    network        text NOT NULL DEFAULT '',
    created_at     timestamptz NOT NULL DEFAULT now(),
    seen_at        timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL,
    ended_at       timestamptz
);
CREATE UNIQUE INDEX sessions_by_user ON sessions (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX sessions_expired ON sessions (expires_at);

-- One-time codes by time (RFC 6238), one secret for each account. The secret is encrypted with the
-- server's secret. No code is accepted for last_step or an earlier step: each works once.
CREATE TABLE one_time_codes (
    user_id      text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    sealed       bytea NOT NULL,
    confirmed_at timestamptz,
    last_step    bigint NOT NULL DEFAULT 0
);

-- The codes that work once each when the device with the one-time codes is lost, by their SHA-256:
-- they are random, so that they need no slow hash.
CREATE TABLE recovery_codes (
    user_id text NOT NULL REFERENCES one_time_codes ON DELETE CASCADE,
    hash    bytea NOT NULL,
    PRIMARY KEY (user_id, hash)
);

-- Passkeys (WebAuthn). The credential is what the library needs to verify an assertion: a public
-- key, and nothing secret.
CREATE TABLE passkeys (
    id            text PRIMARY KEY,
    user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
    credential_id bytea NOT NULL CONSTRAINT passkeys_credential_key UNIQUE,
    credential    jsonb NOT NULL,
    name          text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    used_at       timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- The challenges that browsers answer with a passkey, by the SHA-256. A row is deleted at its first
-- use. A challenge of an account adds a passkey to it; the others are for signing in.
CREATE TABLE passkey_challenges (
    hash       bytea PRIMARY KEY,
    user_id    text REFERENCES users ON DELETE CASCADE,
    session    jsonb NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_by_user ON passkey_challenges (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX passkey_challenges_expired ON passkey_challenges (expires_at);

-- === OAuth ===

-- Programs that registered themselves (RFC 7591). One whose user never agreed to anything is
-- purged.
CREATE TABLE oauth_clients (
    id            text PRIMARY KEY,
    name          text NOT NULL,
    redirect_uris text[] NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    granted_at    timestamptz
);
CREATE INDEX oauth_clients_ungranted ON oauth_clients (created_at) WHERE granted_at IS NULL;

-- Authorization codes, by their SHA-256. A row is deleted at its first use.
CREATE TABLE oauth_codes (
    hash           bytea PRIMARY KEY,
    client_id      text NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
    user_id        text NOT NULL REFERENCES users ON DELETE CASCADE,
    redirect_uri   text NOT NULL,
    challenge      text NOT NULL,
    scope          text NOT NULL,
    access_version bigint NOT NULL DEFAULT 0, -- as of users
    expires_at     timestamptz NOT NULL
);
CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_by_client ON oauth_codes (client_id);
CREATE INDEX oauth_codes_expired ON oauth_codes (expires_at);

-- Who has agreed to give a program their key, at least once.
CREATE TABLE oauth_consents (
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    client_id  text NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, client_id)
);
CREATE INDEX oauth_consents_by_client ON oauth_consents (client_id);

-- === Uploads and files ===

-- What clients were promised a place for. The result of converting a file that is there has an
-- upload without bytes of its own.
CREATE TABLE uploads (
    id           text PRIMARY KEY,
    user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
    key_id       text, -- the key that asked for it: its address must end with that key
    resource_key text NOT NULL UNIQUE,
    file_name    text NOT NULL,
    content_type text NOT NULL,
    size         bigint NOT NULL CHECK (size >= 0),
    convert_to   text
        CHECK (convert_to IN ('sog', 'streamed-sog', 'ply', 'compressed-ply', 'spz', 'glb', 'csv', 'turntable')),
    state        text NOT NULL CHECK (state IN ('pending', 'processing', 'confirmed', 'failed', 'discarded')),
    job_id       text,
    -- Uploads whose bytes arrive in pieces. writer is the request that appends bytes now, and
    -- writer_until is when others may append although it did not end, because its process died.
    resumable    boolean NOT NULL DEFAULT false,
    writer       text,
    writer_until timestamptz,
    -- How many parts arrive at the same time, as the client asked; 0 for bytes in order. Where each
    -- part starts follows from it.
    parts        smallint NOT NULL DEFAULT 0,
    -- A pending upload counts until its URL has expired, and for longer where its bytes came or
    -- still come. look_at is when the store is asked next whether they came.
    held_until   timestamptz,
    look_at      timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
-- Storage that is promised or being worked on is summed for each new upload.
CREATE INDEX uploads_open ON uploads (user_id) WHERE state IN ('pending', 'processing');
CREATE INDEX uploads_expired ON uploads (expires_at) WHERE state = 'pending';
-- Uploads of which nothing is kept are deleted once their addresses are dead.
CREATE INDEX uploads_forgotten ON uploads (expires_at) WHERE state IN ('discarded', 'failed');
-- Deleting an account finds all its uploads, and the last time at which an address of one expires.
CREATE INDEX uploads_by_user ON uploads (user_id, expires_at);

-- The requests that append to a part now, as uploads.writer is for a whole upload.
CREATE TABLE upload_writers (
    upload_id    text NOT NULL REFERENCES uploads ON DELETE CASCADE,
    part         smallint NOT NULL,
    writer       text NOT NULL,
    writer_until timestamptz NOT NULL,
    PRIMARY KEY (upload_id, part)
);

-- Uploads of SuperSplat's API: their file becomes a space with these texts, whose id is chosen in
-- advance. It was created once published is true, and may have been deleted since.
CREATE TABLE splat_uploads (
    upload_id       text PRIMARY KEY REFERENCES uploads ON DELETE CASCADE,
    user_id         text NOT NULL REFERENCES users ON DELETE CASCADE,
    idempotency_key text,
    format          text NOT NULL CHECK (format IN ('ply', 'sog', 'ssog', 'lcc')),
    title           text NOT NULL,
    description     text NOT NULL,
    software_tools  jsonb NOT NULL,
    space_id        text NOT NULL UNIQUE,
    published       boolean NOT NULL DEFAULT false,
    CONSTRAINT splat_uploads_idempotency_key UNIQUE (user_id, idempotency_key)
);

-- The parts of these uploads that have arrived. A part that is sent again has no row meanwhile.
CREATE TABLE splat_parts (
    upload_id text NOT NULL REFERENCES uploads ON DELETE CASCADE,
    part      smallint NOT NULL,
    etag      text NOT NULL,
    PRIMARY KEY (upload_id, part)
);

-- The settings of SuperSplat's viewer that came with the file of an upload. Spaces that are made from
-- the file get them. They are bytes, because Postgres cannot store all JSON as such.
CREATE TABLE splat_settings (
    upload_id text PRIMARY KEY REFERENCES uploads ON DELETE CASCADE,
    settings  bytea NOT NULL
);

-- What is stored for good. What was made of a file lies in a folder of its own and counts as used
-- storage (derived_bytes), but not in the size of the file.
CREATE TABLE files (
    resource_key  text PRIMARY KEY,
    user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
    sequence      bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    upload_id     text NOT NULL REFERENCES uploads,
    name          text NOT NULL,
    content_type  text NOT NULL,
    size          bigint NOT NULL CHECK (size >= 0),
    objects       integer NOT NULL CHECK (objects > 0),
    -- Of the bytes, in hex, which never change. A change set that names an uploaded file reads all
    -- of it once, and no other one has to.
    sha256        text,
    facts         jsonb, -- what the file was found to hold
    captures      jsonb, -- of a zip that has several, from which the owner chooses
    poster_key    text,  -- the key of the first of the posters
    posters       jsonb, -- its pictures in several sizes, and the viewpoint that they are taken from
    view_key      text,  -- for a format that no viewer reads whole
    collision_key text,  -- what visitors walk on
    start         jsonb, -- where visitors start, as it was found
    own_start     jsonb, -- and as the owner chose it; the found one is kept, for when that is withdrawn
    failures      jsonb, -- the steps of the preparation that were given up, and why
    derived_bytes bigint NOT NULL DEFAULT 0 CHECK (derived_bytes >= 0),
    created_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT files_upload_key UNIQUE (upload_id)
);
-- Used storage is summed from the index alone.
CREATE UNIQUE INDEX files_by_user ON files (user_id, sequence) INCLUDE (size, derived_bytes);
CREATE INDEX files_by_name ON files (user_id, name, sequence);
CREATE INDEX files_by_size ON files (user_id, size, sequence);
-- Operators see the latest files that could not be prepared: few of all.
CREATE INDEX files_failed ON files (created_at, sequence) WHERE failures IS NOT NULL AND failures <> '{}';

-- What visitors asked for in another format (a conversion target). It is made once, and kept for hours:
-- what asks again within them gets the same. The removal of its objects is written down before they are
-- stored, and is due after ends_at.
CREATE TABLE format_downloads (
    resource_key text NOT NULL REFERENCES files ON DELETE CASCADE,
    format       text NOT NULL,
    user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
    key          text, -- of the object, when it is made
    bytes        bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    failure      text, -- why it cannot be made
    ends_at      timestamptz NOT NULL,
    PRIMARY KEY (resource_key, format)
);
CREATE INDEX format_downloads_by_user ON format_downloads (user_id);
CREATE INDEX format_downloads_by_end ON format_downloads (ends_at);

-- The avatars of accounts. Their files are uploads of the account, which are counted as such: the
-- figure (glb), the capture of the person (splat), what binds the one to the other (binding), how
-- the capture is placed on the figure (fit), and a picture. A deleted file takes its avatar along.
CREATE TABLE avatars (
    id            text PRIMARY KEY,
    user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
    sequence      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    original_name text NOT NULL,
    glb           text NOT NULL REFERENCES files ON DELETE CASCADE,
    splat         text NOT NULL REFERENCES files ON DELETE CASCADE,
    binding       text NOT NULL REFERENCES files ON DELETE CASCADE,
    fit           text NOT NULL REFERENCES files ON DELETE CASCADE,
    thumbnail     text REFERENCES files ON DELETE SET NULL,
    assigned      boolean NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);
-- A request that is sent again stores its avatar again, and no second one.
CREATE UNIQUE INDEX avatars_by_glb ON avatars (glb);
CREATE INDEX avatars_by_user ON avatars (user_id, sequence);
CREATE UNIQUE INDEX avatars_assigned ON avatars (user_id) WHERE assigned;
CREATE INDEX avatars_by_splat ON avatars (splat);
CREATE INDEX avatars_by_binding ON avatars (binding);
CREATE INDEX avatars_by_fit ON avatars (fit);
CREATE INDEX avatars_by_thumbnail ON avatars (thumbnail) WHERE thumbnail IS NOT NULL;

-- Objects in the store that no row speaks for any more. They are written down in the transaction
-- that gives them up and struck out when they are gone, so a process killed in between leaves no
-- orphan. A key that ends in a slash is a folder.
CREATE TABLE removals (
    key      text PRIMARY KEY,
    -- When nobody can write there any more: a presigned URL lets bytes in until it has expired, and
    -- longer where sending takes its time.
    due_at   timestamptz NOT NULL,
    sweep_at timestamptz, -- when to delete the object before, because no more bytes can come
    -- Bytes count for their owner until they are gone from the store.
    user_id  text REFERENCES users ON DELETE SET NULL,
    bytes    bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    -- The attempt that stores an object as the result of its job. The upload that the result
    -- replaces counts already, so the result does not count while the attempt may complete the job.
    -- It counts when the attempt can no longer do so and has left the object behind: another
    -- attempt has started, the job has ended or waits again, or its worker is dead. Then
    -- db.RescueJobs clears the columns.
    job_id   text,
    attempt  integer
);
CREATE INDEX removals_due ON removals (due_at);
CREATE INDEX removals_sweep ON removals (sweep_at) WHERE sweep_at IS NOT NULL;
CREATE INDEX removals_held ON removals (user_id) INCLUDE (bytes) WHERE bytes > 0;
CREATE INDEX removals_jobs ON removals (job_id) WHERE job_id IS NOT NULL;

-- === Jobs ===

-- Jobs as clients see them; river_job has what runs them. They are kept for weeks after their end.
CREATE TABLE jobs (
    id           text PRIMARY KEY,
    user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
    sequence     bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    upload_id    text NOT NULL REFERENCES uploads,
    type         text NOT NULL,
    convert_to   text
        CHECK (convert_to IN ('sog', 'streamed-sog', 'ply', 'compressed-ply', 'spz', 'glb', 'csv', 'turntable')),
    -- The file that a job converts, or takes a capture out of, is one of the user's, and may be
    -- deleted before the job has ended: it is no reference.
    source_key   text,
    edits        text, -- how the conversion changes the capture
    replacement  jsonb, -- the entity that shows the result instead of the source when the job is completed
    capture      text, -- the name of the capture in a zip
    status       text NOT NULL CHECK (status IN ('queued', 'processing', 'completed', 'failed')),
    progress     double precision NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    message      text NOT NULL,
    -- What a running job does, as data beside the English message: a step, how much of it is done,
    -- and the attempt that reported it.
    step_name    text,
    step_done    bigint,
    step_total   bigint,
    step_attempt integer,
    result_key   text,
    error        text,
    attempt      integer NOT NULL DEFAULT 0,
    tries        integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz, -- of the latest attempt: whose turn was longest ago is next
    updated_at   timestamptz NOT NULL DEFAULT now(),
    ended_at     timestamptz,
    CONSTRAINT jobs_upload_key UNIQUE (upload_id),
    CHECK (source_key IS NULL OR convert_to IS NOT NULL OR capture IS NOT NULL)
);
CREATE UNIQUE INDEX jobs_by_sequence ON jobs (user_id, sequence);
CREATE INDEX jobs_by_user ON jobs (user_id, created_at DESC);
CREATE INDEX jobs_turns ON jobs (user_id, started_at);
CREATE INDEX jobs_unfinished ON jobs (status) WHERE ended_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
-- One job about a file runs at a time, unless the two convert it to other targets, change it in
-- different ways, take other captures out of it or show the results in other entities.
CREATE UNIQUE INDEX jobs_of_files ON jobs (source_key, coalesce(convert_to, ''), md5(coalesce(edits, '')), md5(coalesce(capture, '')),
    md5(coalesce(replacement::text, '')))
    WHERE source_key IS NOT NULL AND status IN ('queued', 'processing');

-- === Spaces ===

CREATE TABLE spaces (
    id                   text PRIMARY KEY,
    owner_id             text NOT NULL REFERENCES users ON DELETE CASCADE,
    sequence             bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    title                text NOT NULL,
    description          text NOT NULL,
    -- The code of a licence; '' lets nobody but the owner download what is in the space.
    licence              text NOT NULL DEFAULT '',
    type                 text NOT NULL CHECK (type IN ('infinite', 'hub')),
    privacy              text NOT NULL CHECK (privacy IN ('Public', 'Private', 'Link Only')),
    data                 jsonb NOT NULL DEFAULT '{}',
    -- Of the data as text, which is how it is answered: numbers and spaces included.
    bytes                integer NOT NULL GENERATED ALWAYS AS (octet_length(data::text)) STORED,
    -- Whether the owner has switched off that visitors see each other. Who is visiting a space is
    -- never stored.
    presence_off         boolean NOT NULL DEFAULT false,
    -- Whether pages run the plugins of a Public or Link Only space for its visitors. The owner
    -- always sees them.
    plugins_for_visitors boolean NOT NULL DEFAULT false,
    -- Whether everybody who may open the space may copy it, and whether its owner is offered it for new
    -- spaces.
    copies_allowed       boolean NOT NULL DEFAULT false,
    template             boolean NOT NULL DEFAULT false,
    -- The space of another account that this one was copied from; '' for none. It may be gone.
    origin_id            text NOT NULL DEFAULT '',
    -- Who alone may change the content, and until when; NULL or a time that has passed is nobody.
    -- The token is what the holder sends with each change.
    lock_name            text,
    lock_token           text,
    locked_until         timestamptz,
    visit_count          bigint NOT NULL DEFAULT 0,
    -- It grows with every change that clients make, so that a client can refuse to overwrite a
    -- change that it has not seen. Visits and poster changes do not count.
    version              integer NOT NULL DEFAULT 1,
    created_at           timestamptz NOT NULL DEFAULT now(),
    changed_at           timestamptz NOT NULL DEFAULT now(),
    -- When the space or one of its entities last changed, to within a second: writers of entities
    -- do not wait for the row of their space. changed_at is for the space alone.
    touched_at           timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT spaces_bytes CHECK (bytes <= 1048576)
);
-- Lists have an index for each of their orders, so a page does not sort all rows: the spaces of an
-- owner, and the Public ones, which everybody discovers.
CREATE UNIQUE INDEX spaces_by_owner ON spaces (owner_id, sequence);
CREATE INDEX spaces_by_title ON spaces (owner_id, title, sequence);
CREATE INDEX spaces_by_visits ON spaces (owner_id, visit_count, sequence);
CREATE INDEX spaces_by_touch ON spaces (owner_id, touched_at, sequence);
CREATE UNIQUE INDEX spaces_public ON spaces (sequence) WHERE privacy = 'Public';
CREATE INDEX spaces_public_by_title ON spaces (title, sequence) WHERE privacy = 'Public';
CREATE INDEX spaces_public_by_visits ON spaces (visit_count, sequence) WHERE privacy = 'Public';
CREATE INDEX spaces_public_by_touch ON spaces (touched_at, sequence) WHERE privacy = 'Public';
-- The spaces that changed lately, of all owners: where a worker looks for events of webhooks.
CREATE INDEX spaces_touched ON spaces (touched_at);
-- The spaces that a browser splat trainer shares: their owners have put its block into the space.
-- The gallery of all accounts and the list of one account read no other spaces.
CREATE INDEX spaces_shared ON spaces (owner_id, sequence) WHERE jsonb_typeof(data->'splatjs') = 'object';
CREATE INDEX spaces_public_shared ON spaces (sequence) WHERE privacy = 'Public' AND jsonb_typeof(data->'splatjs') = 'object';

-- The plugins and assets of a space that is kept as files: which file of its owner has which path.
-- A deleted file leaves the space.
CREATE TABLE space_files (
    space_id     text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    path         text NOT NULL,
    resource_key text NOT NULL REFERENCES files ON DELETE CASCADE,
    sha256       text NOT NULL,
    PRIMARY KEY (space_id, path)
);
CREATE INDEX space_files_by_file ON space_files (resource_key);

-- The addresses that open a space for whoever has them, whatever its privacy. The secret of an address
-- is hashed, and so is a password. A revoked link stays for its owner to see, and because the files of
-- a Private space stay protected once it has had a link.
CREATE TABLE share_links (
    id               text PRIMARY KEY,
    sequence         bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    space_id         text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    name             text NOT NULL,
    secret_hash      bytea NOT NULL UNIQUE,
    password_hash    text NOT NULL DEFAULT '',
    -- It grows with each new password, which everybody must enter who has entered before.
    version          integer NOT NULL DEFAULT 1,
    allows_download  boolean NOT NULL DEFAULT false,
    allows_measuring boolean NOT NULL DEFAULT false,
    ends_at          timestamptz,
    max_visits       integer CHECK (max_visits > 0),
    visits           integer NOT NULL DEFAULT 0,
    created_at       timestamptz NOT NULL DEFAULT now(),
    visited_at       timestamptz,
    revoked_at       timestamptz
);
CREATE INDEX share_links_by_space ON share_links (space_id, sequence);

-- The names of spaces in addresses: /@name/space. A space has the name without an end. One that it had
-- leads to it, until the owner gives that name to another space.
CREATE TABLE space_slugs (
    owner_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    slug     text NOT NULL,
    space_id text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    ended_at timestamptz,
    PRIMARY KEY (owner_id, slug)
);
CREATE UNIQUE INDEX space_slugs_current ON space_slugs (space_id) WHERE ended_at IS NULL;
CREATE INDEX space_slugs_by_space ON space_slugs (space_id, ended_at);

-- Who was counted as a visitor of a space, and when: a visit is counted once per viewer and half
-- hour. Rows that are older mean nothing and are purged, so the table has what half an hour brings.
CREATE TABLE visits (
    space_id   text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    viewer     text NOT NULL,
    counted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space_id, viewer)
);
CREATE INDEX visits_by_time ON visits (counted_at);

-- What came of a space on each day, in UTC: only numbers, nothing of a person. The statement that counts
-- a visit counts it here too. The names of a kind are hosts, places, devices, or ids of entities.
CREATE TABLE daily_statistics (
    space_id text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    day      date NOT NULL,
    kind     text NOT NULL CHECK (kind IN ('visit', 'host', 'place', 'device', 'tour', 'annotation')),
    name     text NOT NULL DEFAULT '',
    count    bigint NOT NULL,
    seconds  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (space_id, day, kind, name)
);
CREATE INDEX daily_statistics_by_day ON daily_statistics (day);

-- === Entities ===

-- derive_entity fills the columns bytes, shows, upload_id and other_files. They are columns,
-- because an index of an expression of the data would make each change of the data write all
-- indexes of the row. They are not generated columns, because Postgres parses and plans the
-- expression of such a column, and the condition of a trigger, anew for each statement; the
-- statements of a trigger's function it plans once for each connection.
CREATE TABLE entities (
    space_id    text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    entity_id   text NOT NULL,
    sequence    bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    type        text NOT NULL,
    data        jsonb NOT NULL DEFAULT '{}',
    state       jsonb NOT NULL DEFAULT '{}',
    bytes       integer NOT NULL, -- of data and state, as of spaces
    shows       uuid,   -- the file that the entity shows, by the hash of its address, which may be long
    upload_id   text,   -- the upload that this file came with (see db.uploadOfEntity)
    -- The ids of the files that it refers to elsewhere, such as the picture of a gate or a setting
    -- of a plugin: by an address or a resource key, as db.ShownFiles finds them. NULL for most
    -- entities.
    other_files text[],
    version     integer NOT NULL DEFAULT 1, -- as of spaces
    created_at  timestamptz NOT NULL DEFAULT now(),
    changed_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space_id, entity_id),
    CONSTRAINT entities_bytes CHECK (bytes <= 1048576)
);
CREATE UNIQUE INDEX entities_by_space ON entities (space_id, sequence);
CREATE INDEX entities_by_file ON entities (shows, sequence) WHERE shows IS NOT NULL;
CREATE INDEX entities_by_upload ON entities (upload_id) WHERE upload_id IS NOT NULL;
CREATE INDEX entities_by_other_file ON entities USING gin (other_files) WHERE other_files IS NOT NULL;

-- Besides the columns, this trigger records what an UPDATE replaces (see changes): one of its own
-- cost about as much as the row that it wrote. Of an INSERT it is not known yet whether it
-- conflicts.
--
-- Most entities refer to no stored file. One text of the data serves for the bytes and for a search
-- by a plain text; only where that finds something do a regular expression and a query run. An
-- upload's id has 26 characters, but clients store any text in an entity. 64 characters of an
-- invented id are enough: they are the id of no upload, and fit into the indexes.
CREATE FUNCTION derive_entity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    data_text  text := NEW.data::text;
    state_text text := NEW.state::text;
    others     text;
    origin     text;
    repeated   boolean;
BEGIN
    NEW.bytes := octet_length(data_text) + octet_length(state_text);
    NEW.shows := md5(NEW.data->>'glbUrl')::uuid;
    NEW.upload_id := NULL;
    NEW.other_files := NULL;
    IF strpos(data_text, 'api_uploads/') > 0 OR strpos(data_text, 'derived/') > 0
        OR strpos(state_text, 'api_uploads/') > 0 OR strpos(state_text, 'derived/') > 0 THEN
        NEW.upload_id := left((regexp_match(NEW.data->>'glbUrl', '(api_uploads|derived)/([a-z0-9]+)'))[2], 64);
        others := (NEW.data - 'glbUrl')::text || state_text;
        IF others ~ '(?:api_uploads|derived)/[a-z0-9]' THEN
            NEW.other_files := (SELECT array_agg(DISTINCT left(found.id[1], 64))
                FROM regexp_matches(others, '(?:api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id));
        END IF;
    END IF;
    IF TG_OP = 'UPDATE' AND (OLD.data <> NEW.data OR OLD.type <> NEW.type) THEN
        origin := coalesce(current_setting('portico.origin', true), '');
        repeated := OLD.bytes > 1024 AND change_is_repeated(OLD.space_id, OLD.entity_id, origin, OLD.bytes);
        INSERT INTO changes (space_id, target, origin, op, type, before, bytes, repeated)
        VALUES (OLD.space_id, OLD.entity_id, origin, 2, OLD.type, CASE WHEN NOT repeated THEN OLD.data END,
            CASE WHEN repeated THEN 0 ELSE OLD.bytes - octet_length(OLD.state::text) END, repeated);
    END IF;
    RETURN NEW;
END
$$;
-- A change of other columns, such as the time of the change, derives nothing.
CREATE TRIGGER entities_derived BEFORE INSERT OR UPDATE OF data, state, type ON entities
    FOR EACH ROW EXECUTE FUNCTION derive_entity();

-- The merge of entity_data: field by field, and within dynamicGate field by field again, so that a
-- gate can be moved by its position alone.
CREATE FUNCTION merge_data(stored jsonb, sent jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN stored || sent || CASE
    WHEN jsonb_typeof(stored -> 'dynamicGate') = 'object' AND jsonb_typeof(sent -> 'dynamicGate') = 'object'
    THEN jsonb_build_object('dynamicGate', (stored -> 'dynamicGate') || (sent -> 'dynamicGate'))
    ELSE '{}'::jsonb
END;

-- The entities that show a changed file and that another transaction had locked when the file
-- changed (see db.announceFile). Each is marked after the commit of the change, and its row is
-- deleted with the mark. There is no foreign key: it would wait for the deletion of a space, in
-- another order than the deletion takes its locks. The mark of a deleted entity only deletes the
-- row.
CREATE TABLE skipped_entities (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space_id  text NOT NULL,
    entity_id text NOT NULL,
    upload_id text NOT NULL
);

-- === History ===

-- What every write of a space replaced, in the transaction of the write. A row is written by a
-- trigger and waits for nobody; it stays until its burst is recorded as a version. Rows are
-- recorded in their order, some hundreds at a time, and read by space.
--
-- A target is the id of an entity, the path of a plugin or an asset, which has a slash, or empty
-- for the settings of the space. The transaction says where its writes come from (origin) by the
-- setting portico.origin, which a statement sets in itself: an UPDATE with set_config in its
-- condition costs no round trip. The value 'none' records nothing.
CREATE TABLE changes (
    sequence bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT changes_order PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT now(),
    space_id text NOT NULL,
    target   text NOT NULL,
    origin   text NOT NULL,
    op       smallint NOT NULL, -- 1 created, 2 changed, 3 deleted
    type     text,
    before   jsonb, -- NULL for what was created
    -- Of before as text. To measure a large state takes milliseconds, and its writer knows it.
    bytes    integer NOT NULL DEFAULT 0,
    -- A change whose state nobody needs stores none: an earlier change of the same burst has the
    -- state before the version. One-byte changes of a large entity would store the whole entity
    -- each time.
    repeated boolean NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX changes_space ON changes (space_id, sequence);

-- Whether one of the newest changes of the space is of the same target, and only changes of the
-- same origin and of this minute came after it: then no version starts between the two. The larger
-- the state, the more changes are read to avoid it: that costs less than to store it. For a small
-- state it would cost more, so callers do not ask.
CREATE FUNCTION change_is_repeated(space text, changed text, caller text, size bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM (
            SELECT target, bool_and(origin = caller AND at >= date_trunc('minute', now())) OVER (ORDER BY sequence DESC) AS continued
            FROM (SELECT sequence, target, origin, at FROM changes WHERE space_id = space ORDER BY sequence DESC LIMIT size / 64) AS newest
        ) AS n WHERE continued AND target = changed)
$$;

-- The first entities of a space are no change, and the history of a space is deleted with it.
CREATE FUNCTION skip_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('portico.origin', 'none', true);
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER spaces_without_history BEFORE INSERT OR DELETE ON spaces
    FOR EACH ROW EXECUTE FUNCTION skip_history();

-- The settings that a version has.
CREATE FUNCTION space_settings(s spaces) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('title', (s).title, 'description', (s).description, 'licence', (s).licence, 'privacy', (s).privacy, 'data', (s).data);

-- The events of webhooks read the privacy before each change.
CREATE FUNCTION record_changed_space() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before   jsonb := space_settings(OLD);
    size     integer := octet_length(before::text);
    origin   text;
    repeated boolean;
BEGIN
    IF before <> space_settings(NEW) THEN
        origin := coalesce(current_setting('portico.origin', true), '');
        repeated := size > 1024 AND change_is_repeated(OLD.id, '', origin, size);
        INSERT INTO changes (space_id, target, origin, op, type, before, bytes, repeated)
        VALUES (OLD.id, '', origin, 2, 'space',
            CASE WHEN repeated THEN jsonb_build_object('privacy', OLD.privacy) ELSE before END,
            CASE WHEN repeated THEN 0 ELSE size END, repeated);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_recorded AFTER UPDATE ON spaces
    FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION record_changed_space();

CREATE FUNCTION record_space_file() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
    before jsonb;
BEGIN
    IF origin <> 'none' AND NEW IS DISTINCT FROM OLD THEN
        IF TG_OP <> 'INSERT' THEN
            before := jsonb_build_object('resourceKey', OLD.resource_key, 'sha256', OLD.sha256);
        END IF;
        INSERT INTO changes (space_id, target, origin, op, type, before, bytes)
        VALUES (coalesce(NEW.space_id, OLD.space_id), coalesce(NEW.path, OLD.path), origin,
            CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'UPDATE' THEN 2 ELSE 3 END,
            CASE WHEN TG_OP <> 'INSERT' THEN 'file' END, before, coalesce(octet_length(before::text), 0));
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER space_files_recorded AFTER INSERT OR UPDATE OR DELETE ON space_files
    FOR EACH ROW EXECUTE FUNCTION record_space_file();

-- The versions of a space. sequence counts them, from 1.
CREATE TABLE space_versions (
    space_id   text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    sequence   bigint NOT NULL,
    origin     text NOT NULL, -- as in changes: equal for the writes of one burst
    started_at timestamptz NOT NULL,
    ended_at   timestamptz NOT NULL,
    name       text NOT NULL DEFAULT '',
    created    integer NOT NULL DEFAULT 0,
    updated    integer NOT NULL DEFAULT 0,
    deleted    integer NOT NULL DEFAULT 0,
    bytes      bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (space_id, sequence)
);
CREATE INDEX space_versions_by_age ON space_versions (ended_at);

-- What a version replaced: the state before it. The state after it is what the next version that
-- has the target replaced, or what is there now. type is NULL where there was nothing before.
CREATE TABLE version_changes (
    space_id text NOT NULL,
    version  bigint NOT NULL,
    target   text NOT NULL,
    op       smallint NOT NULL, -- as in changes; 0 for what was created and deleted again
    type     text,
    before   jsonb,
    bytes    integer NOT NULL, -- as in changes
    PRIMARY KEY (space_id, version, target),
    FOREIGN KEY (space_id, version) REFERENCES space_versions ON DELETE CASCADE
);

-- The bytes of the history of each account. No reference to the account: deleting it must not wait
-- for whoever records versions.
CREATE TABLE history_usage (
    user_id text PRIMARY KEY,
    bytes   bigint NOT NULL
);

CREATE FUNCTION count_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    account text := split_part(coalesce(NEW.space_id, OLD.space_id), '_', 1);
    change  bigint := CASE TG_OP WHEN 'DELETE' THEN 0 ELSE NEW.bytes END - CASE TG_OP WHEN 'INSERT' THEN 0 ELSE OLD.bytes END;
BEGIN
    UPDATE history_usage SET bytes = bytes + change WHERE user_id = account;
    IF NOT FOUND AND change > 0 THEN
        INSERT INTO history_usage AS u VALUES (account, change)
        ON CONFLICT (user_id) DO UPDATE SET bytes = u.bytes + change;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER versions_counted AFTER INSERT OR DELETE OR UPDATE OF bytes ON space_versions
    FOR EACH ROW EXECUTE FUNCTION count_history();

-- === Used storage ===

-- The JSON that clients keep counts as storage. This is its sum for each account, in parts: each
-- connection to the database has its own, so that writers at the same time do not wait for each
-- other. A part may grow up to what it was granted without a look at the quota; what is granted
-- counts as taken. Parts of one account may be negative, their sum is not.
CREATE TABLE json_usage (
    user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    part    smallint NOT NULL,
    bytes   bigint NOT NULL,
    granted bigint NOT NULL,
    PRIMARY KEY (user_id, part)
) WITH (fillfactor = 50);

-- What an account has used and was promised, in bytes: the one sum that every check of the quota is
-- made by. It returns a table, because Postgres plans such a function as part of the statement that
-- calls it; with OUT parameters it would plan it anew with each call.
CREATE FUNCTION storage_of(account text) RETURNS TABLE (used bigint, promised bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT
        files.bytes + processing.bytes + given_up.bytes + json.bytes + history.bytes,
        pending.bytes + json.spare
    FROM
        (SELECT coalesce(sum(size + derived_bytes), 0)::bigint AS bytes FROM files WHERE user_id = account) AS files,
        -- A file that a job works on is there already.
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'processing') AS processing,
        -- The subquery returns one value, so it always uses the primary key of jobs.
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM removals
            WHERE user_id = account AND bytes > 0 AND (
                SELECT jobs.status = 'processing' AND jobs.attempt = removals.attempt
                FROM jobs WHERE jobs.id = removals.job_id) IS NOT TRUE) AS given_up,
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'pending' AND (expires_at > now() OR held_until > now())) AS pending,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes, coalesce(sum(granted - bytes), 0)::bigint AS spare
            FROM json_usage WHERE user_id = account) AS json,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM history_usage WHERE user_id = account) AS history
$$;

-- What a row counts for: whole units of 256 bytes, about what a row without fields takes. Most
-- updates stay within their unit, and count nothing.
CREATE FUNCTION counted_bytes(bytes integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(1, (bytes + 255) / 256)::bigint * 256;

-- Counts bytes more or fewer for an account, in the transaction that writes them; PQ507 where its
-- quota has no room for them. Nothing is counted for an account that is being deleted.
--
-- Locks are taken in one order, a part of the sum before the account. A transaction that locks the
-- account must not write JSON of the account afterwards.
CREATE FUNCTION count_json(account text, change bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    mine  smallint := pg_backend_pid() % 32;
    room  bigint;  -- free for this part
BEGIN
    IF change <= 0 THEN
        INSERT INTO json_usage AS u SELECT id, mine, change, change FROM users WHERE id = account
        ON CONFLICT (user_id, part) DO UPDATE SET bytes = u.bytes + change, granted = u.granted + change;
        RETURN;
    END IF;
    UPDATE json_usage SET bytes = bytes + change
    WHERE user_id = account AND part = mine AND bytes + change <= granted;
    IF FOUND THEN
        RETURN;
    END IF;
    -- Locks the part, which may be locked already, and adds a missing one.
    INSERT INTO json_usage AS u SELECT id, mine, 0, 0 FROM users WHERE id = account
    ON CONFLICT (user_id, part) DO UPDATE SET bytes = u.bytes;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM FROM users WHERE id = account FOR NO KEY UPDATE;
    -- A statement of its own: it sees what was committed while the one before it waited.
    SELECT quota - s.used - s.promised + own.granted - own.bytes
    INTO room FROM users, storage_of(account) AS s, json_usage AS own
    WHERE users.id = account AND own.user_id = account AND own.part = mine;
    IF change > room THEN
        RAISE EXCEPTION 'storage quota exceeded' USING ERRCODE = 'PQ507';
    END IF;
    -- Some room is granted ahead, so that the next writes need not look again. All 32 parts
    -- together set aside less than a hundredth of the room.
    UPDATE json_usage SET bytes = bytes + change,
        granted = bytes + change + least(65536, (room - change) / 4096 / 256 * 256)
    WHERE user_id = account AND part = mine;
END
$$;

-- A space counts its fields and its texts.
CREATE FUNCTION space_bytes(s spaces) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN counted_bytes((s).bytes + octet_length((s).title) + octet_length((s).description) + octet_length((s).licence));

CREATE FUNCTION count_space() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_json(coalesce(NEW.owner_id, OLD.owner_id),
        CASE TG_OP WHEN 'DELETE' THEN 0 ELSE space_bytes(NEW) END
        - CASE TG_OP WHEN 'INSERT' THEN 0 ELSE space_bytes(OLD) END);
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_counted AFTER INSERT OR DELETE ON spaces
    FOR EACH ROW EXECUTE FUNCTION count_space();
CREATE TRIGGER spaces_changed AFTER UPDATE ON spaces
    FOR EACH ROW WHEN (space_bytes(OLD) <> space_bytes(NEW)) EXECUTE FUNCTION count_space();

-- What a statement adds is counted once, not for each of its rows: each count of an account with
-- little room sums its storage and makes a new version of the same row, which every later count of
-- the transaction passes. What is counted is recorded too (see changes).
--
-- The id of a space begins with that of its owner (API section 1), who is found by it also while
-- the space is being deleted.
CREATE FUNCTION count_added_entities() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
BEGIN
    PERFORM count_json(account, bytes) FROM (
        SELECT split_part(space_id, '_', 1) AS account, sum(counted_bytes(bytes))::bigint AS bytes
        FROM added GROUP BY 1 ORDER BY 1) AS counted;
    IF origin <> 'none' THEN
        INSERT INTO changes (space_id, target, origin, op)
        SELECT space_id, entity_id, origin, 1 FROM added ORDER BY sequence;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_added AFTER INSERT ON entities
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_entities();

-- Updates are counted for each row, but only those that change the units of counted_bytes:
-- collecting the rows would cost every update, and most count nothing. The condition is plain
-- arithmetic, because a function in it would be looked up and inlined for each statement. The JSON
-- of an entity has at least 4 bytes, so none has 0 units.
CREATE FUNCTION count_changed_entity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_json(split_part(NEW.space_id, '_', 1), counted_bytes(NEW.bytes) - counted_bytes(OLD.bytes));
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_changed AFTER UPDATE ON entities
    FOR EACH ROW WHEN ((OLD.bytes + 255) / 256 <> (NEW.bytes + 255) / 256) EXECUTE FUNCTION count_changed_entity();

-- One statement deletes thousands, with their space.
CREATE FUNCTION count_deleted_entities() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
BEGIN
    PERFORM count_json(split_part(space_id, '_', 1), -sum(counted_bytes(bytes))::bigint)
    FROM deleted GROUP BY split_part(space_id, '_', 1);
    IF origin <> 'none' THEN
        INSERT INTO changes (space_id, target, origin, op, type, before, bytes, repeated)
        SELECT space_id, entity_id, origin, 3, type, CASE WHEN NOT repeated THEN data END,
            CASE WHEN repeated THEN 0 ELSE bytes - octet_length(state::text) END, repeated
        FROM deleted, LATERAL (SELECT bytes > 1024 AND change_is_repeated(space_id, entity_id, origin, bytes) AS repeated) AS r;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_deleted AFTER DELETE ON entities
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_entities();

-- === Totals of lists ===

-- The number of rows of long lists, which each change keeps up to date: counting a list of a
-- million rows takes a hundred times as long as reading a page of it.
--
-- A list is named by the id of a space, for its entities without RoomInfo; by an account and a
-- privacy, for the account's spaces; by 'Public', for all Public spaces; and by an account and
-- 'files'. A change adds to a part of the total that its connection has, as count_json does, so
-- that writers of one list do not wait for each other; the total is the sum.
CREATE TABLE totals (
    list text NOT NULL,
    part smallint NOT NULL,
    rows bigint NOT NULL,
    PRIMARY KEY (list, part)
) WITH (fillfactor = 50);

CREATE FUNCTION total_part() RETURNS smallint LANGUAGE sql STABLE
RETURN (pg_backend_pid() % 32)::smallint;

-- Adds to the totals of lists. In their order, so that two changes of the same part lock them in
-- the same order.
CREATE FUNCTION add_totals(lists text[], change bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO totals AS t (list, part, rows)
    SELECT list, total_part(), change FROM unnest(lists) AS list ORDER BY list
    ON CONFLICT (list, part) DO UPDATE SET rows = t.rows + change
$$;

-- Most spaces have few entities, which are counted faster than a kept total is written. So the
-- total of a space is kept from the first time on that somebody reads the list of over 1,000. It
-- has all parts then; a space without them is not kept.
--
-- The lock on the space waits for every transaction that is adding or deleting entities: an insert
-- holds the foreign key's lock on the space, and a delete the one that total_deleted_entities
-- takes. A later one waits for this transaction, and then finds the parts.
CREATE FUNCTION keep_total(space text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    counted bigint;
BEGIN
    PERFORM FROM spaces WHERE id = space FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    -- A statement of its own: it sees what was committed while the one before it waited.
    SELECT sum(rows)::bigint INTO counted FROM totals WHERE list = space;
    IF counted IS NULL THEN
        SELECT count(*) INTO counted FROM entities WHERE space_id = space AND entity_id <> 'RoomInfo';
        INSERT INTO totals SELECT space, part, CASE part WHEN 0 THEN counted ELSE 0 END FROM generate_series(0, 31) AS part;
    END IF;
    RETURN counted;
END
$$;

-- Triggers run in the order of their names: this one after the foreign key's, whose lock it needs.
CREATE FUNCTION total_added_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE totals SET rows = rows + counted.entities
    FROM (SELECT space_id, count(*) AS entities FROM added WHERE entity_id <> 'RoomInfo' GROUP BY space_id) AS counted
    WHERE list = counted.space_id AND part = total_part();
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_total_added AFTER INSERT ON entities
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION total_added_entities();

CREATE FUNCTION total_deleted_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM spaces WHERE id IN (SELECT space_id FROM deleted) ORDER BY id FOR KEY SHARE;
    UPDATE totals SET rows = rows - gone.entities
    FROM (SELECT space_id, count(*) AS entities FROM deleted WHERE entity_id <> 'RoomInfo' GROUP BY space_id) AS gone
    WHERE list = gone.space_id AND part = total_part();
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_total_deleted AFTER DELETE ON entities
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION total_deleted_entities();

-- The lists that a space is in.
CREATE FUNCTION lists_of(s spaces) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE (s).privacy WHEN 'Public' THEN ARRAY[(s).owner_id || ' Public', 'Public'] ELSE ARRAY[(s).owner_id || ' ' || (s).privacy] END;

-- count_json locks the part of the account first: two transactions of the same part and account
-- never wait for each other's totals.
CREATE FUNCTION total_space() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_json(coalesce(NEW.owner_id, OLD.owner_id), 0);
    IF TG_OP <> 'INSERT' THEN
        PERFORM add_totals(lists_of(OLD), -1);
    END IF;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM totals WHERE list = OLD.id;
    ELSE
        PERFORM add_totals(lists_of(NEW), 1);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_total AFTER INSERT OR DELETE ON spaces
    FOR EACH ROW EXECUTE FUNCTION total_space();
CREATE TRIGGER spaces_total_changed AFTER UPDATE OF privacy ON spaces
    FOR EACH ROW WHEN (OLD.privacy <> NEW.privacy) EXECUTE FUNCTION total_space();

CREATE FUNCTION total_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_totals(ARRAY[coalesce(NEW.user_id, OLD.user_id) || ' files'], CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END
$$;
CREATE TRIGGER files_total AFTER INSERT OR DELETE ON files
    FOR EACH ROW EXECUTE FUNCTION total_file();

-- An account that is deleted leaves no total: its spaces and files are deleted before it, or by it.
CREATE FUNCTION total_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM totals WHERE list IN (OLD.id || ' Public', OLD.id || ' Link Only', OLD.id || ' Private', OLD.id || ' files');
    RETURN NULL;
END
$$;
CREATE TRIGGER users_total AFTER DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION total_user();

-- === Search ===

-- Finding a text anywhere in the titles and descriptions of spaces reads all of them, so an index
-- has every piece of one to three characters: only a space that has all pieces of a text can
-- contain it. pg_trgm has the same idea; this needs no extension, which the role of an installation
-- may not have the right to create, and finds texts of one and two characters too, which are words
-- in Chinese and Japanese.

-- The pieces of a text from these sizes on, as numbers. Two pieces with the same number only make a
-- search compare a text in vain.
CREATE FUNCTION search_pieces(text text, smallest int) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT (((one * 2097152 + two) * 2097152 + three) % 2147483647)::int), '{}')
    FROM (
        SELECT ascii(c)::bigint AS a, ascii(lead(c) OVER places)::bigint AS b, ascii(lead(c, 2) OVER places)::bigint AS c
        FROM unnest(string_to_array(lower(text), NULL)) WITH ORDINALITY AS characters (c, place)
        WINDOW places AS (ORDER BY place)
    ) AS starts, LATERAL (VALUES (1, a, 0, 0), (2, a, b, 0), (3, a, b, c)) AS pieces (size, one, two, three)
    WHERE size >= smallest AND two IS NOT NULL AND three IS NOT NULL
$$;

-- Not a column of spaces: each visit and each change of an entity writes a row of spaces, and would
-- write all of its pieces into the index again. The index finds candidates in no order; with the
-- owner and the sequence beside the pieces, a search reads their spaces in the order of the list
-- until its page is full.
CREATE TABLE space_texts (
    space_id text PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
    owner_id text NOT NULL,
    sequence bigint NOT NULL,
    pieces   int[] NOT NULL
);
-- A search reads the entries that wait to be sorted in, so few of them wait.
CREATE INDEX space_texts_pieces ON space_texts USING gin (pieces) WITH (gin_pending_list_limit = 256);

CREATE FUNCTION index_space_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO space_texts (space_id, owner_id, sequence, pieces)
    VALUES (NEW.id, NEW.owner_id, NEW.sequence, search_pieces(NEW.title || E'\n' || NEW.description, 1))
    ON CONFLICT (space_id) DO UPDATE SET pieces = EXCLUDED.pieces;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_text_added AFTER INSERT ON spaces
    FOR EACH ROW EXECUTE FUNCTION index_space_text();
CREATE TRIGGER spaces_text_changed AFTER UPDATE OF title, description ON spaces
    FOR EACH ROW WHEN (OLD.title <> NEW.title OR OLD.description <> NEW.description) EXECUTE FUNCTION index_space_text();

-- === Followers and notifications ===

-- Who follows whom.
CREATE TABLE follows (
    user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
    follower_id text NOT NULL REFERENCES users ON DELETE CASCADE CHECK (follower_id <> user_id),
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, follower_id)
);
CREATE INDEX follows_by_follower ON follows (follower_id, user_id);

-- What accounts are told. The transaction orders them for subscriptions: of two that write at once
-- the later sequence may be seen first, but none is seen before every older transaction has ended,
-- so nothing is passed over.
CREATE TABLE notifications (
    id          text PRIMARY KEY DEFAULT gen_random_uuid()::text,
    user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
    sequence    bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    type        text NOT NULL CHECK (type IN ('space-published', 'space-taken-down', 'space-restored', 'webhook-disabled')),
    space_id    text REFERENCES spaces ON DELETE CASCADE, -- NULL for a webhook
    text        text, -- what the operator says, or the webhook's address
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX notifications_by_user ON notifications (user_id, sequence);
CREATE INDEX notifications_by_transaction ON notifications (user_id, transaction, sequence);
CREATE INDEX notifications_by_space ON notifications (space_id);

-- === Webhooks ===

-- The addresses that an account's events are sent to. The secret is sealed, not hashed: the server
-- signs with it. A former secret signs too until it ends, so that a receiver can change.
CREATE TABLE webhooks (
    id               text PRIMARY KEY,
    user_id          text NOT NULL REFERENCES users ON DELETE CASCADE,
    sequence         bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    url              text NOT NULL,
    events           text[] NOT NULL,
    sealed           bytea NOT NULL,
    former_sealed    bytea,
    former_until     timestamptz,
    created_at       timestamptz NOT NULL DEFAULT now(),
    after_change     bigint NOT NULL DEFAULT 0, -- the last change, of all, before the webhook was made
    failing_since    timestamptz,
    disabled_at      timestamptz,
    disabled_cause   text,
    disabled_failure jsonb
);
CREATE INDEX webhooks_by_user ON webhooks (user_id, sequence);

-- The events, each in the transaction of the change that it reports: the outbox, and once a row has
-- ended the log. The events of one stream are delivered one after the other, in order.
CREATE TABLE webhook_deliveries (
    sequence        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
    webhook_id      text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    stream          text NOT NULL, -- the id of the space, or jobs
    type            text NOT NULL,
    payload         text NOT NULL, -- the bytes that are signed
    attempts        integer NOT NULL DEFAULT 0,
    response_status integer NOT NULL DEFAULT 0,
    failure         jsonb,
    duration_ms     integer NOT NULL DEFAULT 0,
    delivered       boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL DEFAULT now(),
    attempted_at    timestamptz,
    next_at         timestamptz NOT NULL DEFAULT now(),
    ended_at        timestamptz
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, stream, sequence) WHERE ended_at IS NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, sequence);
CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;

-- === Audit trail ===

-- What people and operators did that matters for security. The application adds rows and reads
-- them; it cannot change one, and deletes by purge_audit_events alone. No foreign keys: the trail
-- outlives what it tells of. What an event says is data, and the sentence is made from it.
CREATE TABLE audit_events (
    id              text PRIMARY KEY,
    sequence        bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    user_id         text CHECK (length(user_id) <= 64),
    actor_id        text CHECK (length(actor_id) <= 64), -- who acted, where it was not the account itself
    type            text NOT NULL CHECK (length(type) <= 64),
    method          text CHECK (length(method) <= 64),
    door            text CHECK (length(door) <= 64),
    address         text CHECK (length(address) <= 64),
    subject         text CHECK (length(subject) <= 512),
    title           text CONSTRAINT audit_events_title CHECK (length(title) <= 512),
    reason          text CONSTRAINT audit_events_reason CHECK (length(reason) <= 64),
    takedown_reason text CONSTRAINT audit_events_takedown_reason CHECK (length(takedown_reason) <= 64),
    changes         jsonb CONSTRAINT audit_events_changes CHECK (octet_length(changes::text) <= 1024),
    request_id      text CHECK (length(request_id) <= 128),
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX audit_events_by_user ON audit_events (user_id, sequence);
-- Operators read the events of all accounts in this order.
CREATE UNIQUE INDEX audit_events_by_sequence ON audit_events (sequence);
-- How many of a type an account has on one day is counted for each new one.
CREATE INDEX audit_events_by_type ON audit_events (type, user_id, created_at);
CREATE INDEX audit_events_by_time ON audit_events (created_at);

-- === Operators ===

-- Accounts that may operate the server in a browser.
CREATE TABLE operators (
    user_id    text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Accounts that an operator has disabled. Their access has ended, and no new access begins.
CREATE TABLE disabled_accounts (
    user_id    text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    reason     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Spaces that an operator has taken down, and why.
CREATE TABLE takedowns (
    space_id   text PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
    reason     text NOT NULL,
    text       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Spaces that are Private because they were taken down, or because their owner was disabled, with
-- the privacy that the owner chose. So no statement that reads a space or an entity needs another
-- condition.
CREATE TABLE hidden_spaces (
    space_id text PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
    privacy  text NOT NULL
);

-- A hidden space stays Private. It is a trigger because every way to change a space passes it, and
-- because it reads what was committed while the statement waited for the row. It runs only for
-- statements that set the privacy.
CREATE FUNCTION keep_hidden_space() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM hidden_spaces WHERE space_id = NEW.id) THEN
        IF NEW.privacy <> 'Private' THEN
            RAISE EXCEPTION 'space is hidden' USING ERRCODE = 'PQ403';
        ELSIF OLD.privacy = 'Private' THEN
            -- The owner chose Private meanwhile.
            UPDATE hidden_spaces SET privacy = 'Private' WHERE space_id = NEW.id;
        END IF;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_hidden AFTER UPDATE OF privacy ON spaces
    FOR EACH ROW EXECUTE FUNCTION keep_hidden_space();

-- What visitors report of spaces. The reporter is the id of an account, or of a visitor, which
-- changes every day and reveals no address.
CREATE TABLE reports (
    id         text PRIMARY KEY DEFAULT gen_random_uuid()::text,
    sequence   bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    space_id   text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    reporter   text NOT NULL,
    reason     text NOT NULL,
    text       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    closed_at  timestamptz
);
CREATE INDEX reports_open ON reports (space_id, sequence) WHERE closed_at IS NULL;
CREATE INDEX reports_by_reporter ON reports (reporter, created_at);

-- The state of the server every few minutes, for plots.
CREATE TABLE samples (
    at            timestamptz PRIMARY KEY,
    storage_bytes bigint NOT NULL,
    files         bigint NOT NULL,
    accounts      bigint NOT NULL,
    spaces        bigint NOT NULL,
    jobs_waiting  bigint NOT NULL,
    jobs_running  bigint NOT NULL,
    jobs_failed   bigint NOT NULL
);

-- The requests that all servers answered, by minute, for plots. Each server adds what it counted
-- every few seconds, so a request writes nothing.
CREATE TABLE request_counts (
    at       timestamptz PRIMARY KEY,
    requests bigint NOT NULL,
    errors   bigint NOT NULL
);

-- === Functions with the rights of the owner ===

-- Deletes an account, with the rows that refer to it, except its names: they stay held, without it. The
-- application has no right to delete from the table of accounts: one statement could delete them all.
CREATE FUNCTION delete_account(account text) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    UPDATE handles SET ended_at = now() WHERE user_id = account AND ended_at IS NULL;
    DELETE FROM users WHERE id = account
$$;

-- Deletes up to most of the rows that are older than keep, and returns how many. A day is always
-- kept, so that who takes the application over cannot wipe it.
CREATE FUNCTION purge_audit_events(keep interval, most integer) RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$
    WITH purged AS (
        DELETE FROM audit_events WHERE id IN (
            SELECT id FROM audit_events WHERE created_at < now() - greatest(keep, interval '1 day')
            ORDER BY created_at LIMIT most
        ) RETURNING 1
    ) SELECT count(*) FROM purged
$$;

-- River rebuilds the indexes of its table once a day, which only the owner of the table may. The
-- application calls this instead. It gives up where the table is busy for two seconds: a day later
-- is soon enough.
CREATE FUNCTION rebuild_queue_indexes() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN REINDEX TABLE river_job; END
$$;

-- Only whom migrate.go grants it may call them. They look for names in their own schema alone: in
-- a schema of the caller's they would run what the caller put there.
DO $$
DECLARE
    called regprocedure;
BEGIN
    FOREACH called IN ARRAY ARRAY['delete_account(text)', 'purge_audit_events(interval, integer)', 'rebuild_queue_indexes()']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', called, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', called);
    END LOOP;
END
$$;
