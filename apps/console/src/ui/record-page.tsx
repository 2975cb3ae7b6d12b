import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Need } from '../api/permissions.ts';
import { isShown } from './answer.ts';
import { Answered, type AnsweredProps } from './answered.tsx';
import { Page } from './page.tsx';
import { Permitted } from './permitted.tsx';

/** A page for the record whose id is in its path. */
export const recordPage = (needs: Need, OfRecord: ComponentType<{ id: string }>) =>
  function RecordPage() {
    const { id = '' } = useParams({ strict: false });
    return (
      <Permitted needs={needs}>
        <OfRecord key={id} id={id} />
      </Permitted>
    );
  };

/** Shows a record on its page; before it is read, and if there is none, a page with this title. */
export const AnsweredPage = <T,>({ title, ...props }: AnsweredProps<T> & { title: string }) => {
  if (isShown(props.answer)) return <Answered {...props} />;
  return (
    <Page title={title}>
      <Answered height={240} {...props} />
    </Page>
  );
};
