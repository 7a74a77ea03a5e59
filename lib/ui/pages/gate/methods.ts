/** A method of login: what it is called, and what it asks for. */
export interface LoginMethod {
  readonly type: string;
  readonly word: string;
  readonly fields: readonly LoginField[];
  /** The browser goes to a provider and comes back. */
  readonly isByProvider?: boolean;
}

interface LoginField {
  readonly name: string;
  readonly label: string;
  readonly secret: boolean;
  readonly optional?: boolean;
  readonly autocomplete?: string;
}

export const loginMethods: readonly LoginMethod[] = [
  { type: 'token', word: 'Token', fields: [{ name: 'token', label: 'Token', secret: true }] },
  {
    type: 'userpass',
    word: 'Username and password',
    fields: [
      { name: 'username', label: 'Username', secret: false, autocomplete: 'username' },
      { name: 'password', label: 'Password', secret: true, autocomplete: 'current-password' },
    ],
  },
  {
    type: 'approle',
    word: 'AppRole',
    fields: [
      { name: 'role_id', label: 'Role ID', secret: false },
      { name: 'secret_id', label: 'Secret ID', secret: true, optional: true },
    ],
  },
  {
    type: 'jwt',
    word: 'JWT',
    fields: [
      { name: 'role', label: 'Role', secret: false, optional: true },
      { name: 'jwt', label: 'JWT', secret: true },
    ],
  },
  {
    type: 'oidc',
    word: 'Single sign-on',
    isByProvider: true,
    fields: [{ name: 'role', label: 'Role', secret: false, optional: true }],
  },
  {
    type: 'orchestrator',
    word: 'Service account',
    fields: [
      { name: 'role', label: 'Role', secret: false },
      { name: 'jwt', label: 'Token of the service account', secret: true },
    ],
  },
];
