import type { Permission } from '../frame/verb/check.ts';
import type { Client } from './client/client.ts';

/** The host has no names for the rights of a token: it may do what its owner may do in the project. */
export const permissionsOf = (client: Client): readonly Permission[] => [
  { name: 'environment variables of the project: read', test: (_name, signal) => client.page(null, signal) },
  { name: 'environment variables of the project: write' },
];
