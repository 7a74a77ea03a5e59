import { expect, test } from 'vitest';
import { templateLengthMax } from '#sync/template/parse.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();

test('a name template may have exactly the maximum length of the template language', async () => {
  const type = 'cloud-a-sm';
  const rest = '{{ .SecretPath }}';
  const ask = (characters: number) =>
    service.ask('POST', `sys/sync/destinations/${type}/${service.name('long')}`, {
      ...service.fake(type).destination,
      secret_name_template: `${'x'.repeat(characters - rest.length)}${rest}`,
    });
  expect((await ask(templateLengthMax)).status).toBe(200);
  const { status, errors } = await ask(templateLengthMax + 1);
  expect(status).toBe(400);
  expect(errors.join()).toContain(`expected at most ${templateLengthMax} characters`);
});
