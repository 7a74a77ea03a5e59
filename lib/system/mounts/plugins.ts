import { notFound } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import { apiVersion } from '../seal/version.ts';
import type { MountParts } from './parts.ts';

interface Plugin {
  readonly name: string;
  readonly type: 'auth' | 'secret';
}

const kind = pathText('auth or secret');
const name = pathText('Name of the engine or method');

/** `sys/plugins/catalog`: the types that can be mounted, which are all built in. */
export function pluginRows({ engines, methods }: Pick<MountParts, 'engines' | 'methods'>): readonly Row[] {
  const namesOf = (all: readonly { readonly type: string }[]) => [...new Set(all.map(({ type }) => type))].sort();
  const names = { auth: namesOf(methods), secret: namesOf(engines), database: [] };
  const plugins: readonly Plugin[] = (['auth', 'secret'] as const).flatMap((type) =>
    names[type].map((one) => ({ name: one, type })),
  );
  return [
    {
      pattern: 'plugins/catalog',
      help: 'Shows the secrets engines and auth methods that can be mounted. All are built in.',
      operations: {
        read: operation(
          {},
          { summary: 'List the plugins', run: async () => ({ data: { ...names, detailed: plugins.map(detailed) } }) },
        ),
      },
    },
    {
      pattern: 'plugins/catalog/:kind/',
      help: 'Lists the names of the secrets engines, or of the auth methods.',
      operations: {
        list: operation(
          { kind },
          {
            summary: 'List the names of plugins',
            sudo: true,
            run: async (input) => ({
              data: { keys: plugins.filter(({ type }) => type === input.kind).map((one) => one.name) },
            }),
          },
        ),
      },
    },
    {
      pattern: 'plugins/catalog/:kind/:name',
      help: 'Shows a secrets engine or an auth method that can be mounted.',
      operations: {
        read: operation(
          { kind, name },
          {
            summary: 'Show a plugin',
            sudo: true,
            async run(input) {
              const plugin = plugins.find((one) => one.type === input.kind && one.name === input.name);
              if (plugin === undefined) throw notFound([]);
              return { data: { ...detailed(plugin), args: [], command: '', sha256: '' } };
            },
          },
        ),
      },
    },
  ];
}

const detailed = ({ name, type }: Plugin): object => ({
  name,
  type,
  builtin: true,
  version: `v${apiVersion}+builtin`,
  deprecation_status: 'supported',
});
