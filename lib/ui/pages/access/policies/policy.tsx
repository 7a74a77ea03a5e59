import { system } from '#client/operations/system.ts';
import { textOf } from '#client/wire/json.ts';
import { Answer } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';
import { Edit } from './edit.tsx';

const firstText = 'path "secret/data/app/*" {\n  capabilities = ["read"]\n}\n';

/** One policy with its editor and a tester of what is in the editor. Without a name, a new one. */
export function Policy({ name }: { readonly name: string | undefined }) {
  const asked = useQuery({
    key: ['policy', name ?? ''],
    ask: (options) => api.call(system.readPolicy, { name: name ?? '' }, undefined, options),
    enabled: name !== undefined,
  });
  return (
    <>
      <nav class="way" aria-label="Way back">
        <a href={accessUrl('policies')}>Policies</a>
      </nav>
      {name === undefined ? (
        <Edit name={undefined} stored={firstText} />
      ) : (
        <Answer asked={asked}>{({ data }) => <Edit name={name} stored={textOf(data, 'policy')} />}</Answer>
      )}
    </>
  );
}
