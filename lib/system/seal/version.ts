/**
 * The version that this service reports. Clients of the API family enable features by it, so it is a semantic version in the
 * numbering of that family, not the version of the package.
 */
export const apiVersion = '2.2.0';
export const buildDate = '2025-11-21T00:00:00Z';
