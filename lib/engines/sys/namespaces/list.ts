import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import type { Namespaces } from '../../namespaces.ts';
import { mustHaveToken } from '../valid-token.ts';
import { nameBelow, namespaceView } from './view.ts';

/** `sys/namespaces` as a list, and for user interfaces those of it in which the caller may do something. */
export const listRows = (namespaces: Namespaces): readonly Row[] => [
  {
    pattern: 'namespaces/',
    help: 'Lists the namespaces right below this one.',
    operations: {
      list: operation({}, { summary: 'List namespaces.', run: (_input, context) => list(namespaces, context) }),
    },
  },
  {
    pattern: 'internal/ui/namespaces',
    help: 'Names the namespaces right below this one in which the caller may do something.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show namespaces.',
          unauthenticated: true,
          run: (_input, context) => visible(namespaces, context),
        },
      ),
    },
  },
];

async function list(namespaces: Namespaces, { namespace }: RequestContext): Promise<Reply> {
  const found = await namespaces.below(namespace);
  const keys = found.map((one) => nameBelow(namespace, one)).sort();
  const key_info = Object.fromEntries(found.map((one) => [nameBelow(namespace, one), namespaceView(one)]));
  return { data: { keys, key_info } };
}

async function visible(namespaces: Namespaces, context: RequestContext): Promise<Reply> {
  mustHaveToken(context);
  const keys: string[] = [];
  for (const one of await namespaces.below(context.namespace)) {
    const name = nameBelow(context.namespace, one);
    if (await context.reaches(name)) keys.push(name);
  }
  return { data: { keys: keys.sort() } };
}
