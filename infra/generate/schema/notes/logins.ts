import type { TableNotes } from '../note.ts';

export const logins: TableNotes = {
  approle_roles: {
    about: 'Roles of mounts of the type `approle`.',
    columns: { name: 'In lower case.', role_id: 'Logins name the role by it.' },
  },
  approle_secret_ids: {
    columns: {
      hash: "Keyed hash of the mount's id and the secret id.",
      num_uses: '0: unlimited.',
      uses_left: 'The uses left of a limited number; 0: used up.',
      ttl: 'Seconds; 0: it does not expire.',
      cidrs: 'Blocks of addresses that logins may come from.',
      token_cidrs: "Blocks of addresses that tokens may be used from; empty: the role's blocks.",
    },
    json: { metadata: 'textMap' },
  },
  auth_configs: {
    columns: { config: 'Sealed JSON. Additional data: `auth_configs/<mount_id>`.' },
  },
  auth_roles: { about: 'Roles of auth methods. Nothing here is sensitive.' },
  browser_logins: {
    about: 'Logins by browser or device that a provider has not answered yet. A state is good once.',
    columns: {
      state_hash: "Keyed hash of the mount's id and the state that the provider sends back.",
      stage:
        '`open`: waits for the provider; `taken`: its answer is being checked; `proved`: the client may fetch the token; `device`: the provider is asked when the client polls.',
      polled: 'The client polls for its token. Otherwise the row is deleted when it is taken.',
      login: 'Sealed JSON. Additional data: `browser_logins/<hash in hex>`.',
      next_poll_at: 'Earlier polls do not ask the provider.',
      expire_at: 'The login is void after this.',
    },
  },
  login_failures: {
    about:
      'Wrong credentials. A row counts those of one name at one mount, or says that a part of a mount has had too many names.',
    columns: {
      alias:
        'The name of the user or role for the method. With U+0001 in front it is a mark of the part instead of a name.',
      failures: 'Since the last success; they do not count when the last is older than the reset window.',
      locked_until: 'Null: not locked out.',
      forget_at: 'The row means nothing after this.',
      part: 'The names of a mount are spread over parts with a limited number of names each.',
    },
  },
  userpass_users: {
    about: 'Users of mounts of the type `userpass`.',
    columns: {
      name: 'In lower case.',
      password: 'Sealed hash (bcrypt). Additional data: `userpass_users/<mount_id>/<name>`.',
      cost: 'The cost of the hash; null until the user has logged in.',
    },
  },
};
