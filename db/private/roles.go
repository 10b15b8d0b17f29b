package private

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun/driver/pgdriver"
)

// The roles of a cluster. initdb creates the superuser, which only prepares the other
// roles: no statement of the application has its rights.
const (
	// superuser owns the cluster.
	superuser = "portico"
	// ownerRole owns the schema and the tables: migrations run as this role.
	ownerRole = "portico_owner"
	// applicationRole owns nothing. Migrations grant its rights.
	applicationRole = "portico_app"
)

// rolesLock is the advisory lock of processes that prepare the roles of one cluster. Its number is
// arbitrary, but must not be used for anything else (db/db.go).
const rolesLock = 7_041_776_003

// rolePassword derives the password of a role from the password of the cluster, so that only one
// secret is stored. Nobody can compute one role's password from another's.
func rolePassword(cluster, role string) string {
	if role == superuser {
		return cluster
	}
	mac := hmac.New(sha256.New, []byte(cluster))
	mac.Write([]byte("role " + role)) // a hash never fails
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mac.Sum(nil)[:16])
}

// awaitRoles prepares the roles. It tries again while the server is restarted by another process,
// until ctx ends.
func (c *Cluster) awaitRoles(ctx context.Context) error {
	var last error
	err := poll(ctx, lockInterval, func() (bool, error) {
		last = c.prepareRoles(ctx)
		if pg, ok := errors.AsType[pgdriver.Error](last); ok && !isRestarting(pg) {
			return false, last
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("prepare the roles: %w", errors.Join(err, last))
	}
	return nil
}

// isRestarting reports whether the server refused because it starts or stops: class 57,
// operator intervention (PostgreSQL, Appendix A, Error Codes).
func isRestarting(err pgdriver.Error) bool { return strings.HasPrefix(err.Field('C'), "57") }

// prepareRoles creates the roles, or resets their attributes, and makes ownerRole the owner of the
// default database.
func (c *Cluster) prepareRoles(ctx context.Context) error {
	err := c.asSuperuser(ctx, databaseName, func(tx *sql.Tx) error {
		for _, role := range []string{ownerRole, applicationRole} {
			if err := prepareRole(ctx, tx, role, rolePassword(c.password, role)); err != nil {
				return err
			}
		}
		// By default every role may connect to template1 and, before PostgreSQL 15, create
		// tables there.
		_, err := tx.ExecContext(ctx, "REVOKE ALL ON DATABASE template1 FROM PUBLIC")
		return err
	})
	if err != nil {
		return err
	}
	return c.HandOver(ctx, databaseName)
}

// prepareRole creates the role if there is none, and sets all of its attributes.
func prepareRole(ctx context.Context, tx *sql.Tx, role, password string) error {
	// The password is base32, which needs no quoting.
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`
		DO $$ BEGIN
			IF to_regrole('%[1]s') IS NULL THEN CREATE ROLE %[1]s; END IF;
		END $$;
		ALTER ROLE %[1]s LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '%[2]s'`,
		role, password))
	return err
}

// HandOver makes ownerRole the owner of the schema public and of everything that the superuser owns
// in it, and lets only our roles connect. The superuser owns what a restore of a dump has made.
func (c *Cluster) HandOver(ctx context.Context, database string) error {
	return c.asSuperuser(ctx, database, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, handOver(database))
		return err
	})
}

// asSuperuser calls fn in a transaction of the superuser. Only one process does so at a time.
func (c *Cluster) asSuperuser(ctx context.Context, database string, fn func(*sql.Tx) error) (err error) {
	pool := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(c.address(superuser, database))))
	defer func() { err = errors.Join(err, pool.Close()) }()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit there is nothing to roll back
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", rolesLock)); err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// handOver returns the statements of HandOver. REASSIGN OWNED would be shorter, but PostgreSQL
// refuses it for the role that owns the system's tables.
func handOver(database string) string {
	return strings.NewReplacer("DATABASE_NAME", database, "OWNER_ROLE", ownerRole,
		"APPLICATION_ROLE", applicationRole, "SUPERUSER", superuser).Replace(`
REVOKE ALL ON DATABASE DATABASE_NAME FROM PUBLIC;
GRANT CONNECT ON DATABASE DATABASE_NAME TO OWNER_ROLE, APPLICATION_ROLE;
DO $$
DECLARE
	statement text;
BEGIN
	IF (SELECT nspowner FROM pg_namespace WHERE nspname = 'public') <> 'OWNER_ROLE'::regrole THEN
		ALTER SCHEMA public OWNER TO OWNER_ROLE;
	END IF;
	REVOKE ALL ON SCHEMA public FROM PUBLIC;
	GRANT USAGE ON SCHEMA public TO APPLICATION_ROLE;
	FOR statement IN
		WITH ours AS (SELECT 'SUPERUSER'::regrole AS owner, 'public'::regnamespace AS schema),
		-- The superuser keeps what belongs to an extension. A sequence of a column follows its table.
		bound AS (SELECT classid, objid FROM pg_depend
			WHERE deptype = 'e' OR (deptype IN ('a', 'i') AND refclassid = 'pg_class'::regclass AND refobjsubid > 0))
		SELECT format('ALTER %s %s OWNER TO OWNER_ROLE',
				CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END,
				c.oid::regclass)
			FROM pg_class AS c, ours WHERE relowner = owner AND relnamespace = schema AND relkind IN ('r', 'p', 'v', 'm', 'S')
			AND NOT EXISTS (SELECT 1 FROM bound WHERE classid = 'pg_class'::regclass AND objid = c.oid)
		UNION ALL
		SELECT format('ALTER ROUTINE %s OWNER TO OWNER_ROLE', p.oid::regprocedure)
			FROM pg_proc AS p, ours WHERE proowner = owner AND pronamespace = schema
			AND NOT EXISTS (SELECT 1 FROM bound WHERE classid = 'pg_proc'::regclass AND objid = p.oid)
		UNION ALL
		SELECT format('ALTER TYPE %s OWNER TO OWNER_ROLE', t.oid::regtype)
			FROM pg_type AS t, ours WHERE typowner = owner AND typnamespace = schema AND typtype IN ('e', 'd')
			AND NOT EXISTS (SELECT 1 FROM bound WHERE classid = 'pg_type'::regclass AND objid = t.oid)
	LOOP
		EXECUTE statement;
	END LOOP;
END $$`)
}
