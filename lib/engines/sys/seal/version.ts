/**
 * What this service says of itself. Clients of the API family switch features on by it, so it is a semantic version in the
 * numbering of that family, not the package's own.
 */
export const apiVersion = '2.2.0';
export const buildDate = '2025-11-21T00:00:00Z';
