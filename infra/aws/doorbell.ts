import type { Resource } from './template.ts';

const daySeconds = 86_400;
/** If a ring was not received for this long, the sweep has repeated it many times. */
const ringSecondsMax = 3_600;
/** As the platform recommends: a message stays invisible while its function may still be retried. */
const visibilityFactor = 6;
/** After this many failed drains another ring does not help. */
const receivesMax = 5;

/** The queue whose messages wake the workers of one type. A message contains only the type. */
export function doorbell(deadLettersName: string, workerSecondsMax: number): Resource {
  return {
    Type: 'AWS::SQS::Queue',
    Properties: {
      VisibilityTimeout: visibilityFactor * workerSecondsMax,
      MessageRetentionPeriod: ringSecondsMax,
      SqsManagedSseEnabled: true,
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [deadLettersName, 'Arn'] },
        maxReceiveCount: receivesMax,
      },
    },
  };
}

/** Messages whose drain failed repeatedly, kept for the maximum time. The alarm reports them. */
export const deadLetters = (): Resource => ({
  Type: 'AWS::SQS::Queue',
  Properties: { MessageRetentionPeriod: 14 * daySeconds, SqsManagedSseEnabled: true },
});

export const deadLettersAlarm = (deadLettersName: string, functionName: string): Resource => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmDescription: `${functionName} cannot drain its queue: its log has the reason`,
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [deadLettersName, 'QueueName'] } }],
    Statistic: 'Maximum',
    Period: 60,
    EvaluationPeriods: 1,
    Threshold: 0,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  },
});
