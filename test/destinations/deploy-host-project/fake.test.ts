import { expect, test } from 'vitest';
import { z } from 'zod';
import { configure, start } from './setup.ts';

// The host's own SDK rejects a list without `securityIssues`.
const listed = z.object({
  envs: z.array(z.object({ id: z.string(), key: z.string(), securityIssues: z.array(z.string()) })).length(1),
});

test('a list of the stand-in has the documented security issues of each variable', async () => {
  const fake = await start();
  fake.seed('API_KEY', 'a foreign value');
  const { access_token, project_id, team_id } = configure(fake).connection;
  const url = `${fake.url}/v10/projects/${project_id}/env?teamId=${team_id}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${access_token}` } });
  expect(listed.parse(await answer.json()).envs).toMatchObject([{ key: 'API_KEY', securityIssues: [] }]);
});
