/** The initial policy `default`, which tokens get unless it is left out: own token, entity, cubbyhole and tools. */
export const defaultPolicyText = `# A caller's own token.
path "auth/token/lookup-self" {
  capabilities = ["read", "update"]
}
path "auth/token/renew-self" {
  capabilities = ["update"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}

# What a caller may do on which paths.
path "sys/capabilities-self" {
  capabilities = ["update"]
}
path "sys/internal/ui/resultant-acl" {
  capabilities = ["read"]
}

# A caller's own entity.
path "identity/entity/id/{{identity.entity.id}}" {
  capabilities = ["read"]
}
path "identity/entity/name/{{identity.entity.name}}" {
  capabilities = ["read"]
}

# Leases that the caller knows the id of.
path "sys/renew" {
  capabilities = ["update"]
}
path "sys/leases/renew" {
  capabilities = ["update"]
}
path "sys/leases/lookup" {
  capabilities = ["update"]
}

# The token's own store.
path "cubbyhole/*" {
  capabilities = ["create", "read", "update", "delete", "list"]
}

# Wrapping of any data, and what is wrapped for the caller.
path "sys/wrapping/wrap" {
  capabilities = ["update"]
}
path "sys/wrapping/lookup" {
  capabilities = ["update"]
}
path "sys/wrapping/unwrap" {
  capabilities = ["update"]
}

# Logins at other systems through this one; whom a client lets in is decided by its assignments.
path "identity/oidc/provider/+/authorize" {
  capabilities = ["read", "update"]
}

# Hashes, which need no secret.
path "sys/tools/hash" {
  capabilities = ["update"]
}
path "sys/tools/hash/*" {
  capabilities = ["update"]
}
`;

/** The policy of wrapping tokens. It is not listed, and no other token gets it. */
export const responseWrappingPolicyText = `path "cubbyhole/response" {
  capabilities = ["create", "read"]
}
path "sys/wrapping/unwrap" {
  capabilities = ["update"]
}
`;
