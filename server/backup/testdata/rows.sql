-- Rows of every kind. The triggers are off, so that what they would compute is odd on purpose: a restore
-- must bring back what was there.
SET session_replication_role = replica;
INSERT INTO users (id, email, name, password_hash, plan, quota, access_version, key_version, created_at) VALUES
    ('10000001', 'ada@example.com', E'Ada \t\\N \n "Ä" 😀', 'hash', 'pro', 9223372036854775807, 3, 4, '1999-12-31 23:59:59.123456+00'),
    ('10000002', 'bob@example.com', '', '', 'free', 0, 0, 0, now());
INSERT INTO api_keys (id, user_id, lookup, sealed, revoked_at) VALUES ('k1', '10000001', '\x00ff0a', '\x5c', NULL), ('k2', '10000001', '\x01', '\x', now());
INSERT INTO account_pictures VALUES ('10000001', '10000001/account/pictures/one.jpg');
INSERT INTO identities VALUES ('https://issuer.example', 'sub', '10000001');
INSERT INTO unproven_emails VALUES ('10000002');
INSERT INTO email_changes VALUES ('10000002', 'new@example.com', now(), now());
INSERT INTO mailed_links VALUES ('\x0102', '10000002', 'reset', 'bob@example.com', now(), now(), NULL);
INSERT INTO sessions (token, user_id, data, expires_at) VALUES ('t1', '10000001', '\x00', now()), ('t2', NULL, '\x', 'infinity');
INSERT INTO one_time_codes VALUES ('10000001', '\x07', now(), 9223372036854775807);
INSERT INTO recovery_codes VALUES ('10000001', '\x08');
INSERT INTO passkeys (id, user_id, credential_id, credential, name) VALUES ('p', '10000001', '\x09', '{"a": 1.10, "b": null}', 'phone');
INSERT INTO passkey_challenges VALUES ('\x0a', NULL, '{}', now());
INSERT INTO oauth_clients (id, name, redirect_uris) VALUES ('c', 'App', ARRAY['http://a,b', '"quoted"', '', 'NULL']);
INSERT INTO oauth_codes VALUES ('\x0b', 'c', '10000001', 'http://a', 'x', 'all', 1, now());
INSERT INTO oauth_consents VALUES ('10000001', 'c');
INSERT INTO uploads (id, user_id, resource_key, file_name, content_type, size, state, expires_at) VALUES
    ('plain', '10000001', 'api_uploads/plain.glb', 'plain.glb', 'model/gltf-binary', 5, 'confirmed', now()),
    ('zipped', '10000001', 'api_uploads/zipped.zip', 'zipped.zip', 'application/zip', 6, 'confirmed', now()),
    ('waiting', '10000001', 'api_uploads/waiting.zip', 'waiting.zip', 'application/zip', 7, 'processing', now()),
    ('coming', '10000001', 'api_uploads/coming.ply', 'coming.ply', 'application/octet-stream', 8, 'pending', now());
INSERT INTO splat_uploads VALUES ('plain', '10000001', 'key', 'ply', 'Hall', 'A hall', '["tool"]', '10000001_s', false);
INSERT INTO splat_parts VALUES ('plain', 1, 'etag');
INSERT INTO splat_settings VALUES ('plain', '\x7b7d');
INSERT INTO upload_writers VALUES ('coming', 1, 'w', now());
INSERT INTO files (resource_key, user_id, sequence, upload_id, name, content_type, size, objects, facts, poster_key, posters, view_key, derived_bytes) VALUES
    ('api_uploads/plain.glb', '10000001', 7, 'plain', 'plain.glb', 'model/gltf-binary', 5, 1, '{"format": "glb", "n": 12345678901234567890.000}',
        'derived/plain/1/poster.webp', '{"sizes": [{"key": "derived/plain/1/poster.webp"}, {"key": "derived/plain/1/small.webp"}], "turntable": {"key": "derived/plain/1/turn.jpg"}}', 'derived/plain/2/lod-meta.json', 12),
    ('api_uploads/zipped/scan/lod-meta.json', '10000001', 9, 'zipped', 'zipped.zip', 'application/json', 9, 3, NULL, NULL, '{"sizes": null}', NULL, 0);
INSERT INTO format_downloads (resource_key, format, user_id, key, bytes, ends_at) VALUES
    ('api_uploads/plain.glb', 'spz', '10000001', 'derived/plain/3/plain.spz', 9, now());
INSERT INTO avatars (id, user_id, original_name, glb, splat, binding, fit, assigned) VALUES
    ('a', '10000001', 'Ada', 'api_uploads/plain.glb', 'api_uploads/plain.glb', 'api_uploads/plain.glb', 'api_uploads/plain.glb', true);
INSERT INTO removals (key, due_at, user_id, bytes) VALUES ('10000001/api_uploads/gone.ply', now(), '10000001', 3);
INSERT INTO jobs (id, user_id, sequence, upload_id, type, status, progress, message, updated_at) VALUES
    ('j1', '10000001', 5, 'waiting', 'zip', 'processing', 33.333333333333336, 'at work', now() - interval '1 hour');
INSERT INTO spaces (id, owner_id, title, description, type, privacy, data) VALUES
    ('10000001_a', '10000001', 'Hall', E'two\nlines\\', 'hub', 'Public', '{"n": 1e400, "t": "\u00e4\\n"}'), ('10000001_b', '10000001', 'Yard', '', 'infinite', 'Private', '{}');
INSERT INTO space_files VALUES ('10000001_a', 'assets/a.glb', 'api_uploads/plain.glb', 'ff');
INSERT INTO visits VALUES ('10000001_a', 'v');
INSERT INTO daily_statistics VALUES ('10000001_a', '2026-02-28', 'visit', '', 3, 0), ('10000001_a', '2026-02-28', 'host', 'näh.example', 2, 0);
INSERT INTO share_links (id, space_id, name, secret_hash, password_hash, ends_at, max_visits) VALUES
    ('l', '10000001_b', E'client\\n', '\x0d', 'hash', now() + interval '1 day', 3);
INSERT INTO handles VALUES ('ada', '10000001', NULL), ('ada-l', '10000001', now()), ('gone', NULL, now());
INSERT INTO space_slugs VALUES ('10000001', 'hall', '10000001_a', NULL), ('10000001', 'the-hall', '10000001_a', now());
INSERT INTO entities (space_id, entity_id, type, data, bytes, shows, other_files) VALUES
    ('10000001_a', 'one', 'Simple', '{"glbUrl": "x"}', 99, '00000000-0000-0000-0000-0000000000ff', ARRAY['plain']), ('10000001_a', 'RoomInfo', 'RoomInfo', '{}', 4, NULL, NULL);
INSERT INTO skipped_entities (space_id, entity_id, upload_id) VALUES ('10000001_a', 'one', 'plain');
INSERT INTO changes (space_id, target, origin, op, type, before, bytes) VALUES ('10000001_a', 'one', '', 2, 'Simple', '{}', 2);
INSERT INTO space_versions VALUES ('10000001_a', 1, '', now(), now(), 'first', 1, 2, 3, 400);
INSERT INTO version_changes VALUES ('10000001_a', 1, 'one', 2, 'Simple', '{"b": 1}', 70);
INSERT INTO history_usage VALUES ('10000001', 400);
INSERT INTO json_usage VALUES ('10000001', 3, -256, 0), ('10000001', 4, 1024, 4096);
INSERT INTO totals VALUES ('Public', 31, 1), ('10000001 files', 2, 2);
INSERT INTO space_texts VALUES ('10000001_a', '10000001', 1, '{1,2147483646}');
INSERT INTO follows VALUES ('10000001', '10000002');
INSERT INTO notifications (user_id, type, transaction) VALUES ('10000001', 'space-published', '9000000000000000000');
INSERT INTO webhooks (id, user_id, url, events, sealed) VALUES ('w', '10000001', 'https://a.example', '{job.completed}', '\x0c');
INSERT INTO webhook_deliveries (webhook_id, stream, type, payload) VALUES ('w', 'jobs', 'job.completed', '{}'), ('w', 'jobs', 'job.failed', '{}');
DELETE FROM webhook_deliveries WHERE type = 'job.failed'; -- its number is used
INSERT INTO audit_events (id, user_id, type, changes) VALUES ('e', '10000001', 'sign-in', '{"plan": ["free", "pro"]}');
INSERT INTO operators VALUES ('10000001');
INSERT INTO disabled_accounts VALUES ('10000002', 'spam');
INSERT INTO takedowns VALUES ('10000001_b', 'copyright', 'asked');
INSERT INTO hidden_spaces VALUES ('10000001_b', 'Public');
INSERT INTO reports (space_id, reporter, reason, text) VALUES ('10000001_a', 'r', 'other', 'odd');
INSERT INTO samples VALUES (now(), 1, 2, 3, 4, 5, 6, 7);
INSERT INTO request_counts VALUES (now(), 8, 9);
INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, attempt, attempted_at, attempted_by, unique_key, unique_states) VALUES
    ('{"job_id": "j1", "request_id": "r"}', 'job', 1000, 1, 'small', 'running', 2, now(), '{a}', NULL, NULL),
    ('{"resource_key": "api_uploads/plain.glb"}', 'collision', 1000, 2, 'collision', 'retryable', 1, now(), NULL, '\x0d', B'11110001'),
    ('{"to": "bob@example.com"}', 'mail', 5, 1, 'mail', 'available', 0, NULL, NULL, NULL, NULL),
    ('{}', 'purge', 1, 1, 'purge', 'available', 0, NULL, NULL, NULL, NULL);
