import { type ComponentType, useState } from 'react';

import { send, type UploadRequest } from './upload';

/** What completeUpload answers: a file, or the job that processes the upload. */
export type Confirmed = { readonly fileId: string } | { readonly jobId: string };

/** The mutations of publishing. Each rejects with the server's refusal. */
export interface Publisher {
  createUpload(file: File): Promise<UploadRequest>;
  completeUpload(fileUrl: string): Promise<Confirmed>;
  /** Creates a space that shows the file, and adds it to the list. */
  createSpace(fileId: string): Promise<void>;
}

/** The properties of a component that subscribes to a job and shows its progress. */
export interface JobProps {
  readonly jobId: string;
  /** Must be called once, when the job has completed. */
  readonly onFile: (fileId: string) => void;
  readonly onFailed: (message: string) => void;
}

type Step =
  | { readonly name: 'idle' }
  | { readonly name: 'sending'; readonly share: number }
  | { readonly name: 'processing'; readonly jobId: string }
  | { readonly name: 'failed'; readonly message: string };

/** A progress bar with its step in words. */
export function Progress({ percent, message }: { readonly percent: number; readonly message: string }) {
  return (
    <p>
      <progress max={100} value={percent} aria-label="Progress" />
      <span>{`${Math.round(percent)} %: ${message}`}</span>
    </p>
  );
}

/** Publishes a capture as a new space: it uploads, follows the job and creates the space. */
export function PublishPanel({ publisher, Job }: { readonly publisher: Publisher; readonly Job: ComponentType<JobProps> }) {
  const [step, setStep] = useState<Step>({ name: 'idle' });
  const fail = (message: string) => setStep({ name: 'failed', message });
  const createSpace = async (fileId: string) => {
    await publisher.createSpace(fileId);
    setStep({ name: 'idle' });
  };
  const publish = async (file: File) => {
    setStep({ name: 'sending', share: 0 });
    const request = await publisher.createUpload(file);
    await send(request, file, (share) => setStep({ name: 'sending', share }));
    const confirmed = await publisher.completeUpload(request.url);
    if ('fileId' in confirmed) await createSpace(confirmed.fileId);
    else setStep({ name: 'processing', jobId: confirmed.jobId });
  };
  const rejected = (error: Error) => fail(error.message);
  return (
    <section aria-label="Publish">
      <label>
        Capture
        <input
          type="file"
          disabled={step.name === 'sending' || step.name === 'processing'}
          onChange={({ currentTarget: { files } }) => { if (files?.[0]) publish(files[0]).catch(rejected); }}
        />
      </label>
      {step.name === 'sending' && <Progress percent={step.share * 100} message="Sending" />}
      {step.name === 'processing' && (
        <Job jobId={step.jobId} onFile={(fileId) => { createSpace(fileId).catch(rejected); }} onFailed={fail} />
      )}
      {step.name === 'failed' && <p role="alert">{step.message}</p>}
    </section>
  );
}
