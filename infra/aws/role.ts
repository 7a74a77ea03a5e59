import { logicalName, type Resource } from './template.ts';

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

export interface RoleOptions {
  /** Logical names of the doorbell queues that the function rings. */
  readonly rings: readonly string[];
  /** Rights that only this function has. */
  readonly more: readonly Statement[];
}

/** The role of one function: its own log, its network interface, its settings, the bells it rings, and nothing else. */
export function roleOf(functionName: string, { rings, more }: RoleOptions): Resource {
  const statements = [
    ...ownLog(functionName),
    ...networkInterface(functionName),
    allow(['kms:Decrypt'], arnOf('SettingsKey')),
    allow(['sqs:SendMessage'], rings.map(arnOf)),
    ...more,
  ];
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: policyVersion,
        Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
      },
      Policies: [{ PolicyName: functionName, PolicyDocument: { Version: policyVersion, Statement: statements } }],
    },
  };
}

/** For a worker: takes messages off its own doorbell. */
export const receives = (functionName: string): Statement =>
  allow(
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    arnOf(logicalName(functionName, 'Doorbell')),
  );

/** For a worker that logs in with its own identity; the others log in with the credentials of a destination. */
export const assumesRoles: Statement = allow(['sts:AssumeRole'], { Ref: 'AssumableRoles' });

const policyVersion = '2012-10-17';

const arnOf = (logical: string): object => ({ 'Fn::GetAtt': [logical, 'Arn'] });

function allow(Action: readonly string[], on: unknown): Statement {
  return { Effect: 'Allow', Action, Resource: on };
}

function ownLog(functionName: string): readonly Statement[] {
  const group = 'arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:/aws/lambda/${AWS::StackName}';
  return [allow(['logs:CreateLogStream', 'logs:PutLogEvents'], { 'Fn::Sub': `${group}-${functionName}:*` })];
}

const interfaceActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * The platform attaches the function to the network with the function's own rights, which cannot be restricted to a resource,
 * so the code of the function is denied the calls that the platform makes with them.
 */
function networkInterface(functionName: string): readonly Statement[] {
  const self = {
    'Fn::Sub': `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:\${AWS::StackName}-${functionName}`,
  };
  return [
    allow(interfaceActions, '*'),
    {
      Effect: 'Deny',
      Action: interfaceActions,
      Resource: '*',
      Condition: { ArnEquals: { 'lambda:SourceFunctionArn': self } },
    },
  ];
}
