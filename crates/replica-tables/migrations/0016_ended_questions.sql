-- A question whose time was over by the clock of this device alone has its end as a negative `question_due`. It opens again
-- if the clock is set back.
CREATE INDEX items_ended ON items (source, question_due) WHERE question_due < 0;
