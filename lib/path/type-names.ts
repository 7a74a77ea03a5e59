/**
 * Canonical identifiers of destination types, and their aliases. Written by "npm run generate" from the definitions in
 * lib/destinations.
 */
export const typeNames = {
  'cloud-a-sm': 'aws-sm',
  'cloud-b-kv': 'azure-kv',
  'cloud-c-sm': 'gcp-sm',
  'repo-host': 'gh',
  'deploy-host-project': 'vercel-project',
} as const;
