-- A conversion that does not fit the keys.

-- Part of obstacles: UUIDs in the statistics of the key that the conversion does not convert, if that is an error or
-- there are no others. Before it says that there are none, it looks for one in the rows.
CREATE OR REPLACE FUNCTION obstacles_of_statistics(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('conversion %s does not fit the UUIDs in the statistics of column %I of table %s: %s',
                  ((m).conversion).name, (m).column_name, (m).relation, f.shown),
           concat_ws(' ', coalesce('Use conversion => ' || quote_literal(f.conversion) || '.',
                                   'These keys are in order already.'),
                     CASE WHEN v.converted > 0 THEN 'With other_values => ''keep'', the others stay as they are.' END,
                     format('If the statistics are old, run ANALYZE %s.', (m).relation))
    FROM fitting((m).relation, (m).column_name) AS f,
         LATERAL (SELECT coalesce(sum(s.count) FILTER (WHERE converts_version((m).conversion, s.version)), 0),
                         sum(s.count)
                  FROM unnest(f.versions, f.counts) AS s (version, count)) AS v (converted, total),
         LATERAL (SELECT ((m).conversion).version IS NOT NULL AND ((m).choices).other_values = 'error') AS c (needs_all)
    WHERE NOT ((m).conversion).changes_type AND NOT ((m).conversion).only_undoes AND NOT is_cut_over(m)
      AND CASE WHEN c.needs_all THEN v.converted < v.total
               WHEN v.converted > 0 OR v.total IS NULL THEN false
               ELSE NOT may_read((m).columns, ((m).choices).trust_owners)
                    OR NOT EXISTS (SELECT FROM version_histogram((m).relation, (m).column_name,
                                                                 ((m).choices).trust_owners) AS h
                                   WHERE converts_version((m).conversion, h.version)) END;
END;
