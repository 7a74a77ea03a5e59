import { join } from 'node:path';
import { installNpm } from '../install/install.ts';
import type { Trial } from '../trials/trial.ts';
import { installDiscovery } from './discovery-package.ts';

const validator = ['ajv@8.20.0', 'ajv-formats@3.0.1'];
const contract = (...names: readonly string[]) => names.map((name) => `test/contract/${name}.test.ts`);
const suites = contract('driver/driver', 'ownership/claims', 'driver/values', 'ownership/tags', 'driver/failures');
const moduleOf = (file: string) => new URL(file, import.meta.url).href;

/** Prism would do the same with a proxy; its validator is enough. */
export const repositoryHost: Trial = {
  name: 'GitHub OpenAPI description',
  covers: 'every request to the repository host (path, method, parameters, body), every answer of our stand-in',
  type: 'repo-host',
  suites: [
    ...suites,
    ...['driver', 'app', 'organization'].map((name) => `test/destinations/repo-host/${name}.test.ts`),
  ],
  gaps: [],
  allowed: [
    {
      difference: /^repos\/get: answer 200: .* must have required property/,
      reason: 'our stand-in returns the few members of a repository that are used, not all sixty',
    },
  ],
  async prepare(folder) {
    const packages = await installNpm(join(folder, 'github'), ['@octokit/openapi@23.0.2', ...validator]);
    return {
      version: '@octokit/openapi 23.0.2',
      given: { oracle: moduleOf('openapi.ts'), packages },
      close: async () => {},
    };
  },
};

export const secretManager: Trial = {
  name: 'Google discovery document',
  covers: 'every request to Secret Manager (path, method, query, body), every answer of our stand-in',
  type: 'cloud-c-sm',
  suites: [...suites, ...['driver', 'old-versions'].map((name) => `test/destinations/cloud-c-sm/${name}.test.ts`)],
  gaps: [],
  allowed: [],
  async prepare(folder) {
    const packages = await installNpm(join(folder, 'google'), validator);
    const version = await installDiscovery(packages);
    return { version, given: { oracle: moduleOf('discovery.ts'), packages }, close: async () => {} };
  },
};

export const deployHost: Trial = {
  name: 'Vercel SDK schemas',
  covers: 'every request to the deploy host (path, method, query, body), every answer of our stand-in',
  type: 'deploy-host-project',
  suites: [...suites, ...['driver', 'batch'].map((name) => `test/destinations/deploy-host-project/${name}.test.ts`)],
  gaps: [],
  allowed: [
    {
      difference: /^FilterProjectEnvs: query parameter \/until is not described/,
      reason: 'pagination is documented for all lists of the API (https://vercel.com/docs/rest-api#pagination)',
    },
  ],
  async prepare(folder) {
    const packages = await installNpm(join(folder, 'vercel'), ['@vercel/sdk@1.28.35']);
    return {
      version: '@vercel/sdk 1.28.35',
      given: { oracle: moduleOf('vercel.ts'), packages },
      close: async () => {},
    };
  },
};
