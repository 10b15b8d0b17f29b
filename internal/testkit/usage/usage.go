// Package usage calculates the storage of an account from its rows. The server never does that,
// because triggers of its database count every change. Tests and trials compare both results.
package usage

// CountJSON is a query that returns the bytes of storage that an account's JSON counts for
// (docs/rest.md, Account): each entity with its data and state, and each space with its
// fields, title and description, in whole units of 256 bytes, and the versions of its spaces.
// It counts the length of the texts to which Postgres converts JSON. $1 is the account's id.
const CountJSON = `
SELECT (SELECT coalesce(sum(256 + (
		SELECT coalesce(sum(64 + octet_length(target) + coalesce(octet_length(before::text), 0)), 0)
		FROM version_changes AS c WHERE c.space_id = v.space_id AND c.version = v.sequence)), 0)::bigint
	FROM space_versions AS v JOIN spaces AS s ON s.id = v.space_id WHERE s.owner_id = $1
) + coalesce(sum(greatest(1, ceil(bytes / 256.0)) * 256), 0)::bigint FROM (
	SELECT octet_length(data::text || title || description) AS bytes FROM spaces WHERE owner_id = $1
	UNION ALL
	SELECT octet_length(e.data::text || e.state::text) FROM entities AS e JOIN spaces AS s ON s.id = e.space_id
	WHERE s.owner_id = $1
) AS texts`
