// Package nochown mounts folders whose owners cannot be changed, as in shares of NFS and SMB.
package nochown
