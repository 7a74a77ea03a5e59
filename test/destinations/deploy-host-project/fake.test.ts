import { expect, test } from 'vitest';
import { z } from 'zod';
import { configure, start } from './setup.ts';

// As the host's own SDK reads it: a list without `securityIssues` is no list for it.
const listed = z.object({
  envs: z.array(z.object({ id: z.string(), key: z.string(), securityIssues: z.array(z.string()) })).length(1),
});

test('a list of the stand-in says what the service finds unsafe about each variable, as the described answer does', async () => {
  const fake = await start();
  fake.seed('API_KEY', 'the value of somebody else');
  const { access_token, project_id, team_id } = configure(fake).connection;
  const url = `${fake.url}/v10/projects/${project_id}/env?teamId=${team_id}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${access_token}` } });
  expect(listed.parse(await answer.json()).envs).toMatchObject([{ key: 'API_KEY', securityIssues: [] }]);
});
