import type { RequestContext } from '#path/contract/request.ts';
import { type Operation, operation, type Row } from '#path/contract/row.ts';
import { entryPageFields, type ListedEntry, listEntries, listNames, type Page, pageFields } from '#path/listing.ts';
import { nameField } from '../../fields.ts';
import type { At } from '../../provider/resource.ts';

/** Named resources of a namespace. */
interface ResourceRows {
  /** The name in paths. */
  readonly kind: 'assignment' | 'client' | 'provider' | 'scope';
  /** With its article. */
  readonly thing: string;
  readonly things: string;
  readonly help: string;
  /** Creates or updates the resource, whose name in the path is the field `name`. */
  readonly write: Operation;
  /** A resource as clients read it. Undefined when it does not exist. */
  readonly find: (at: At, context: RequestContext) => Promise<object | undefined>;
  readonly remove: (at: At) => Promise<void>;
  readonly names?: (namespaceId: string, page: Page) => Promise<readonly string[]>;
  readonly entries?: (page: Page, context: RequestContext) => Promise<readonly ListedEntry[]>;
}

/** `oidc/<kind>/` and `oidc/<kind>/:name`. */
export const resourceRows = (resource: ResourceRows): readonly Row[] => [
  { pattern: `oidc/${resource.kind}/`, help: `Lists ${resource.things}.`, operations: { list: listOf(resource) } },
  resourceRow(resource),
];

function listOf({ things, names, entries }: ResourceRows): Operation {
  const summary = `List ${things}`;
  if (entries !== undefined)
    return operation(entryPageFields, {
      summary,
      run: (page, context) => listEntries(page, (part) => entries(part, context)),
    });
  return operation(pageFields, {
    summary,
    run: (page, { namespace }) => listNames(page, async (part) => names?.(namespace.id, part) ?? []),
  });
}

function resourceRow({ kind, thing, help, write, find, remove }: ResourceRows): Row {
  const fields = { name: nameField(kind) };
  const at = (name: unknown, { namespace }: RequestContext): At => ({ namespaceId: namespace.id, name: String(name) });
  return {
    pattern: `oidc/${kind}/:name`,
    help,
    exists: async ({ name }, context) => (await find(at(name, context), context)) !== undefined,
    operations: {
      read: operation(fields, {
        summary: `Read ${thing}`,
        async run({ name }, context) {
          const data = await find(at(name, context), context);
          return data && { data };
        },
      }),
      write,
      delete: operation(fields, {
        summary: `Delete ${thing}`,
        async run({ name }, context) {
          await remove(at(name, context));
          return undefined;
        },
      }),
    },
  };
}
