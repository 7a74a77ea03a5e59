import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const resource = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()) });

/** The template that a deployment sends. */
export type Template = z.output<typeof template>;
const template = z.object({ Resources: z.record(z.string(), resource) });

export async function readTemplate(file: string): Promise<Template> {
  return template.parse(JSON.parse(await readFile(file, 'utf8')));
}

const lambda = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  Timeout: z.number(),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  ReservedConcurrentExecutions: z.number().optional(),
  Runtime: z.string(),
  Architectures: z.array(z.string()),
  Code: z.object({ S3Key: z.string() }),
  VpcConfig: z.object({ SubnetIds: z.unknown(), SecurityGroupIds: z.unknown() }),
  Environment: z.object({
    Variables: z.record(z.string(), z.union([z.string(), z.object({ 'Fn::Sub': z.string() })])),
  }),
});

/** A function of the template, by its name in `serverless.yml`. */
export type TemplateFunction = z.output<typeof lambda> & { readonly name: string };

export function functionsOf({ Resources }: Template): readonly TemplateFunction[] {
  return Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => {
      const parsed = lambda.parse(Properties);
      return { ...parsed, name: parsed.FunctionName.replace(/^keyferry-[a-z]+-/, '') };
    });
}

export const propertiesOf = ({ Resources }: Template, type: string): readonly Record<string, unknown>[] =>
  Object.values(Resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));
