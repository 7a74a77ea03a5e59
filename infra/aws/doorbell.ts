import type { Resource } from './template.ts';

const daySeconds = 86_400;
/** A ring that nobody received for so long has been repeated by the sweep many times. */
const ringSecondsMax = 3_600;
/** The platform's advice: a message is not given out again while the function that has it may be tried again. */
const visibilityFactor = 6;
/** A drain that failed so often will not be mended by another ring. */
const receivesMax = 5;

/** The queue whose messages wake the workers of one type. They name the type and hold nothing else. */
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

/** Messages whose drain failed again and again: kept as long as can be. The alarm reports them. */
export const deadLetters = (): Resource => ({
  Type: 'AWS::SQS::Queue',
  Properties: { MessageRetentionPeriod: 14 * daySeconds, SqsManagedSseEnabled: true },
});

export const deadLettersAlarm = (deadLettersName: string, functionName: string): Resource => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmDescription: `${functionName} cannot drain its queue: its log tells why`,
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
